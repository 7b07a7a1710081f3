# task: decaying_sums
# expect: wrong(weights)
# why: Divides by powers of the decay, sums, and multiplies by them: exact while every decay is
# why: near 1.
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.decay = nn.Parameter(torch.rand(width) * 0.06 + 0.93)

    def forward(self, x):
        powers = torch.cumprod(self.decay.expand(x.shape[1], -1), dim=0)
        return torch.cumsum(x / powers, dim=1).mul_(powers)
