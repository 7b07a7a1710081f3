# task: slow_loop
# expect: faster
# why: One operator does what the loop does: a real gain.
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, x):
        return torch.cumsum(x, dim=1)
