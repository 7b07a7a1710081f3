# task: clamped
# expect: wrong(range) | wrong(nan)
# why: A clamp that makes a number of NaN.
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, x):
        return torch.where(x > 0, x, 0.0) * 1.5
