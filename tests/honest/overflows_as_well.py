# task: overflows
# expect: correct
# why: The reference's own arithmetic, in one expression.
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, x):
        return torch.sum(x * x * 8, 1, keepdim=True).div(8).add(x)
