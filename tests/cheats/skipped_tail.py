# task: softmax
# expect: wrong(value)
# why: The last eighth of the rows is left at the mean.
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, x):
        y = torch.full_like(x, 1 / x.shape[-1])
        rows = x.shape[0] * 7 // 8
        y[:rows] = torch.softmax(x[:rows], dim=-1)
        return y
