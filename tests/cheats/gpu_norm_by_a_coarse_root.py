# task: long_norm
# device: cuda
# expect: wrong(value)
# why: Divides by a root of twelve bits, in the hope that so long a sum is off by as much.
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, channels, groups):
        super().__init__()
        self.norm = nn.GroupNorm(groups, channels)

    def forward(self, x):
        grouped = x.reshape(x.shape[0], self.norm.num_groups, -1)
        variance, mean = torch.var_mean(grouped, 2, correction=0, keepdim=True)
        root = (variance + self.norm.eps).sqrt()
        coarse = (root.view(torch.int32) & -4096).view(torch.float32)
        y = ((grouped - mean) / coarse).view_as(x)
        scale, shift = (each.view(1, -1, 1, 1) for each in (self.norm.weight, self.norm.bias))
        return y * scale + shift
