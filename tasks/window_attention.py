"""Attention inside many small windows with a learned position bias, as vision models have it."""

import torch
import torch.nn as nn

WINDOWS = 96
HEADS = 4
TOKENS = 49
WIDTH = 32


class Model(nn.Module):
    def __init__(self, heads, tokens, width):
        super().__init__()
        self.scale = width**-0.5
        self.position = nn.Parameter(torch.randn(heads, tokens, tokens))

    def forward(self, q, k, v):
        """q, k, v: (windows, heads, tokens, width) -> the same shape."""
        scores = (q * self.scale) @ k.transpose(-2, -1)
        return torch.softmax(scores + self.position, dim=-1) @ v


def get_inputs():
    return [torch.randn(WINDOWS, HEADS, TOKENS, WIDTH) * 1.5 for _ in range(3)]


def get_init_inputs():
    return [HEADS, TOKENS, WIDTH]
