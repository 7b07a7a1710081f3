# task: wide_range
# expect: wrong(value)
# why: Computes the large columns of the result and leaves the small ones at zero: by the spread of
# why: all values that is nothing. Each slice is held to its own scale too.
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, x):
        y = torch.zeros_like(x)
        y[:, :64] = torch.softmax(x[:, :64], dim=-1) * 1e7
        return y
