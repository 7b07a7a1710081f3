# task: row_means
# expect: wrong(value)
# why: Leaves out the last 16 of 4,096 terms: a relative error of a few per cent of the spread.
# why: The tolerance is a multiple of rounding, far below one term.
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, x):
        return x[:, :-16].sum(dim=1) / x.shape[1]
