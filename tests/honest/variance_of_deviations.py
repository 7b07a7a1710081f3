# task: instance_norm
# expect: correct
# why: Deviations first, then their squares.
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, x):
        mean = x.mean(dim=(2, 3), keepdim=True)
        d = x - mean
        var = (d * d).mean(dim=(2, 3), keepdim=True)
        return d.mul_(torch.rsqrt(var + 1e-5))
