"""A 3x3 convolution into many channels, and a linear projection back to a few."""

import torch
import torch.nn as nn

BATCH = 4
CHANNELS = 16
WIDE = 96
SIZE = 48


class Model(nn.Module):
    def __init__(self, channels, wide):
        super().__init__()
        self.expand = nn.Conv2d(channels, wide, 3, padding=1)
        self.project = nn.Conv2d(wide, channels, 1)

    def forward(self, x):
        """x: (batch, channels, height, width) -> the same shape."""
        return torch.relu(x + self.project(self.expand(x)))


def get_inputs():
    return [torch.randn(BATCH, CHANNELS, SIZE, SIZE)]


def get_init_inputs():
    return [CHANNELS, WIDE]
