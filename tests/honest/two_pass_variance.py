# task: layer_norm
# expect: correct
# why: Layer norm by hand, in another order of operations.
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.norm = nn.LayerNorm(width)

    def forward(self, x):
        centred = x - x.mean(dim=1, keepdim=True)
        variance = centred.square().mean(dim=1, keepdim=True)
        return centred * torch.rsqrt(variance + self.norm.eps) * self.norm.weight + self.norm.bias
