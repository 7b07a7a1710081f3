# task: instance_norm
# expect: wrong(range)
# why: Mean of squares less square of the mean, which loses its digits where a channel has an
# why: offset.
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, x):
        mean = x.mean(dim=(2, 3), keepdim=True)
        var = (x * x).mean(dim=(2, 3), keepdim=True) - mean * mean
        scale = torch.rsqrt(var.clamp_min_(0) + 1e-5)
        return (x * scale).sub_(mean * scale)
