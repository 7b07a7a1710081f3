"""Upsampling, then a score a channel: transposed convolution, scale, mean over all places, tanh."""

import torch
import torch.nn as nn

BATCH = 4
CHANNELS = 16
OUTPUTS = 32
SIZE = 32


class Model(nn.Module):
    def __init__(self, channels, outputs, scale):
        super().__init__()
        self.upsample = nn.ConvTranspose2d(channels, outputs, 3, stride=2, padding=1,
                                           output_padding=1)
        self.scale = scale

    def forward(self, x):
        """x: (batch, channels, height, width) -> (batch, outputs)."""
        return torch.tanh((self.upsample(x) * self.scale).mean(dim=(2, 3)))


def get_inputs():
    return [torch.randn(BATCH, CHANNELS, SIZE, SIZE) * 2 + 1]


def get_init_inputs():
    return [CHANNELS, OUTPUTS, 4.0]
