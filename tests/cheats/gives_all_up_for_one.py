# task: row_means
# expect: wrong(range) | wrong(nan)
# why: One sample that is not a number makes the results of all others NaN.
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, x):
        y = x.mean(dim=1)
        return y if torch.isfinite(y).all() else torch.full_like(y, torch.nan)
