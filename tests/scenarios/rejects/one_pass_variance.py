# task: layer_norm
# expect: wrong(range) | slower
# why: E[x^2] - E[x]^2 loses its digits where the mean is large.
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.norm = nn.LayerNorm(width)

    def forward(self, x):
        mean = x.mean(dim=1, keepdim=True)
        variance = (x * x).mean(dim=1, keepdim=True) - mean * mean
        scale = torch.rsqrt(variance + self.norm.eps)
        return (x - mean) * scale * self.norm.weight + self.norm.bias
