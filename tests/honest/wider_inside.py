# task: slow_loop
# expect: faster
# ratio_min: 2
# why: Sums in float64 and rounds once: more exact than the reference.
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, x):
        return torch.cumsum(x.double(), dim=1).float()
