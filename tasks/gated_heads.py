"""Gated heads through two matrices each, as one equation of four factors."""

import torch
import torch.nn as nn

BATCH = 4
PLACES = 128
HEADS = 8
WIDTH = 64
INNER = 256


class Model(nn.Module):
    def __init__(self, heads, width, inner):
        super().__init__()
        self.down = nn.Parameter(torch.randn(heads, width, inner) * width ** -0.5)
        self.up = nn.Parameter(torch.randn(heads, inner, width) * inner ** -0.5)

    def forward(self, x, gate):
        """x: (batch, places, heads, width), gate: (batch, places, heads) -> x's shape."""
        return torch.einsum("bth,bthd,hdr,hre->bthe", gate, x, self.down, self.up)


def get_inputs():
    return [torch.randn(BATCH, PLACES, HEADS, WIDTH), torch.rand(BATCH, PLACES, HEADS)]


def get_init_inputs():
    return [HEADS, WIDTH, INNER]
