"""Pointwise chain with many temporaries: two Mish branches, one gating the other by tanh."""

import torch
import torch.nn as nn
import torch.nn.functional as F

ROWS = 512
CHANNELS = 1024


class Model(nn.Module):
    def __init__(self, channels):
        super().__init__()
        self.bias = nn.Parameter(0.5 * torch.randn(channels))
        self.slope = nn.Parameter(0.5 + torch.rand(channels))

    def forward(self, x, gate):
        """x, gate: (rows, channels) -> (rows, channels)."""
        value = x + self.bias
        value = value * torch.tanh(F.softplus(value))
        gate = gate * self.slope
        gate = gate * torch.tanh(F.softplus(gate))
        return value * torch.tanh(gate) + x


def get_inputs():
    return [torch.randn(ROWS, CHANNELS) * 2, torch.randn(ROWS, CHANNELS) * 2]


def get_init_inputs():
    return [CHANNELS]
