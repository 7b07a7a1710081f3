# task: own_norm
# expect: correct
# why: Folds a norm of its own with the epsilon.
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.mix = nn.Parameter(torch.randn(width, width) / width ** 0.5)
        self.weight = nn.Parameter(torch.ones(width))
        self.bias = nn.Parameter(torch.zeros(width))
        self.register_buffer("mean", torch.zeros(width))
        self.register_buffer("var", torch.ones(width))

    def forward(self, x):
        scale = self.weight * (self.var + 1e-6).rsqrt()
        return torch.addmm(self.bias - self.mean * scale, x, self.mix * scale).relu_()
