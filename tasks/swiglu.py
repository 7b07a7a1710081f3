"""Gated MLP (SwiGLU): down(silu(gate(x)) * up(x)), as language models have it."""

import torch
import torch.nn as nn
import torch.nn.functional as F

TOKENS = 128
WIDTH = 384
HIDDEN = 1024


class Model(nn.Module):
    def __init__(self, width, hidden):
        super().__init__()
        self.gate = nn.Linear(width, hidden, bias=False)
        self.up = nn.Linear(width, hidden, bias=False)
        self.down = nn.Linear(hidden, width, bias=False)

    def forward(self, x):
        """x: (tokens, width) -> (tokens, width)."""
        return self.down(F.silu(self.gate(x)) * self.up(x))


def get_inputs():
    return [torch.randn(TOKENS, WIDTH) * 3]


def get_init_inputs():
    return [WIDTH, HIDDEN]
