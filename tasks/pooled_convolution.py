"""Downsampling: a 3x3 convolution, average pooling over 4x4 windows, and a sigmoid."""

import torch
import torch.nn as nn

BATCH = 4
CHANNELS = 8
OUTPUTS = 32
SIZE = 64


class Model(nn.Module):
    def __init__(self, channels, outputs, window):
        super().__init__()
        self.convolution = nn.Conv2d(channels, outputs, 3, padding=1)
        self.pool = nn.AvgPool2d(window)

    def forward(self, x):
        """x: (batch, channels, height, width) -> (batch, outputs, height / 4, width / 4)."""
        return torch.sigmoid(self.pool(self.convolution(x)))


def get_inputs():
    return [torch.randn(BATCH, CHANNELS, SIZE, SIZE) * 2]


def get_init_inputs():
    return [CHANNELS, OUTPUTS, 4]
