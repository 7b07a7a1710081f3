# task: layer_norm
# expect: wrong(value)
# why: Mean and variance of every second element.
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.norm = nn.LayerNorm(width)

    def forward(self, x):
        sample = x[:, ::2]
        mean = sample.mean(dim=1, keepdim=True)
        scale = torch.rsqrt(sample.var(dim=1, keepdim=True, correction=0) + self.norm.eps)
        return (x - mean) * scale * self.norm.weight + self.norm.bias
