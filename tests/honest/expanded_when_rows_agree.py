# task: two_outputs
# expect: correct
# why: Returns an expanded tensor, the same values in less memory, as one output.
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, x, y):
        total = x * torch.sigmoid(y) + y
        top = total.amax(dim=1)
        return total, top.reshape(1, -1).expand(3, -1)[1]
