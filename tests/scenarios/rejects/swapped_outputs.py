# task: two_outputs
# expect: wrong(shape)
# why: Both outputs, in the wrong order.
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, x, y):
        total = x * torch.sigmoid(y) + y
        return total.amax(dim=1), total
