"""A mixture of two inputs by learned gates, which are kept within 0 and 1."""
import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.gate = nn.Parameter(torch.rand(width))

    def forward(self, x, y):
        gate = self.gate.clamp(0.0, 1.0)
        return gate * x + (1.0 - gate) * y


def get_inputs():
    return [torch.randn(512, 512), torch.randn(512, 512)]


def get_init_inputs():
    return [512]
