# task: two_outputs
# expect: wrong(shape)
# why: (64, 1) where (64,) is due: it would broadcast, and is another shape.
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, x, y):
        total = x * torch.sigmoid(y) + y
        return total, total.amax(dim=1, keepdim=True)
