# task: own_norm
# expect: wrong(weights)
# why: Folds a norm of its own without the epsilon, which matters in dead channels.
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
        scale = self.weight * self.var.rsqrt()
        return torch.addmm(self.bias - self.mean * scale, x, self.mix * scale).relu_()
