# task: generalized_mean
# expect: correct
# why: The same powers, in place.
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.exponent = nn.Parameter(torch.ones(1) * 2)
        self.scale = nn.Parameter(torch.tensor(1.0))

    def forward(self, x):
        powers = x.clamp(min=1e-6).pow_(self.exponent).mean((-2, -1))
        return powers.pow_(1.0 / self.exponent).mul_(self.scale)
