# task: long_norm
# expect: wrong(value)
# why: Divides by a deviation of twelve bits, in the hope that so long a sum is off by as much.
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, channels, groups):
        super().__init__()
        self.norm = nn.GroupNorm(groups, channels)

    def forward(self, x):
        parts = x.view(x.shape[0], self.norm.num_groups, -1)
        variance, mean = torch.var_mean(parts, 2, correction=0, keepdim=True)
        root = (variance + self.norm.eps).rsqrt()
        digits = torch.frexp(root)
        root = torch.ldexp((digits.mantissa * 4096).round() / 4096, digits.exponent)
        y = ((parts - mean) * root).view_as(x)
        return y * self.norm.weight.view(1, -1, 1, 1) + self.norm.bias.view(1, -1, 1, 1)
