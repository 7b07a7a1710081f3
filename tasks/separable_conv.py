"""Depthwise-separable block: depthwise 3x3, batch norm, ReLU6, pointwise 1x1, residual add."""

import torch
import torch.nn as nn
import torch.nn.functional as F

BATCH = 4
CHANNELS = 64
SIZE = 56


class Model(nn.Module):
    def __init__(self, channels):
        super().__init__()
        self.depthwise = nn.Conv2d(channels, channels, 3, padding=1, groups=channels, bias=False)
        self.norm = nn.BatchNorm2d(channels)
        self.pointwise = nn.Conv2d(channels, channels, 1)
        nn.init.normal_(self.norm.running_mean, std=0.2)
        nn.init.uniform_(self.norm.running_var, 0.5, 1.5)
        nn.init.normal_(self.norm.weight, mean=1.5, std=0.3)
        nn.init.normal_(self.norm.bias, mean=0.5, std=0.5)
        self.eval()

    def forward(self, x):
        """x: (batch, channels, height, width) -> the same shape."""
        y = F.relu6(self.norm(self.depthwise(x)))
        return x + self.pointwise(y)


def get_inputs():
    return [torch.randn(BATCH, CHANNELS, SIZE, SIZE) * 2]


def get_init_inputs():
    return [CHANNELS]
