# task: slow_loop
# expect: wrong(value)
# why: One wrong element in 6,144: invisible to means.
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, x):
        y = torch.cumsum(x, dim=1)
        y[17, 40] += 1e-2
        return y
