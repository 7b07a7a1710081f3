# task: layer_norm
# expect: wrong(value)
# why: The unbiased variance, off by 1 part in 255.
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.norm = nn.LayerNorm(width)

    def forward(self, x):
        scale = torch.rsqrt(x.var(dim=1, keepdim=True) + self.norm.eps)
        return (x - x.mean(dim=1, keepdim=True)) * scale * self.norm.weight + self.norm.bias
