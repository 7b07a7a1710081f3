"""Pointwise chain: scale and shift per channel, exact GELU, residual add and a learned gain."""

import torch
import torch.nn as nn
import torch.nn.functional as F

ROWS = 1024
CHANNELS = 1024


class Model(nn.Module):
    def __init__(self, channels):
        super().__init__()
        self.scale = nn.Parameter(1.0 + 0.2 * torch.randn(channels))
        self.shift = nn.Parameter(0.5 * torch.randn(channels))
        self.gain = nn.Parameter(0.5 + torch.rand(channels))

    def forward(self, x, residual):
        """x, residual: (rows, channels) -> (rows, channels)."""
        activated = F.gelu(x * self.scale + self.shift)
        return activated * self.gain + residual


def get_inputs():
    return [torch.randn(ROWS, CHANNELS) * 2, torch.randn(ROWS, CHANNELS)]


def get_init_inputs():
    return [CHANNELS]
