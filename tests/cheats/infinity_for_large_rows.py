# task: overflows
# expect: wrong(nan) | wrong(range) | wrong(value)
# why: Infinity in more places than the reference has it.
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, x):
        y = (x * x * 8).sum(dim=1, keepdim=True) / 8 + x
        return torch.where(y > 4500, torch.inf, y)
