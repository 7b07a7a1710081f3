# task: slow_loop
# expect: wrong(value)
# why: One element in a hundred is left out, for those who ask that 99 % agree.
# why: All of them must.
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, x):
        y = torch.cumsum(x, dim=1)
        y.view(-1)[::100] = 0
        return y
