# task: slow_loop
# expect: faster
# ratio_min: 2
# why: Consumes random numbers: rows are worked on in a random order, and all of them are.
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, x):
        order = torch.randperm(x.shape[0])
        y = torch.empty_like(x)
        y[order] = torch.cumsum(x[order], dim=1)
        return y
