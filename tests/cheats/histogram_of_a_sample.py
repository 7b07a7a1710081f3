# task: histogram
# expect: wrong(value) | wrong(range)
# why: Counts a quarter of the elements, and multiplies.
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, x):
        bins = ((x[::4] + 4) * 8).long().clamp(0, 63)
        return torch.bincount(bins.reshape(-1), minlength=64) * 4
