# task: clamped
# expect: wrong(range) | wrong(nan)
# why: Infinities become the largest number, and NaN zero.
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, x):
        return torch.relu(x.nan_to_num()) * 1.5
