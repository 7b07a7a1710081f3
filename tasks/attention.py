"""Multi-head self-attention, softmax(QK^T)V written out, causal."""

import math

import torch
import torch.nn as nn

BATCH = 2
LENGTH = 256
WIDTH = 256
HEADS = 4


class Model(nn.Module):
    def __init__(self, width, heads, length):
        super().__init__()
        self.heads = heads
        self.qkv = nn.Linear(width, 3 * width)
        self.out = nn.Linear(width, width)
        hidden = torch.triu(torch.ones(length, length), diagonal=1).bool()
        self.register_buffer("hidden", hidden)

    def forward(self, x):
        """x: (batch, length, width) -> (batch, length, width)."""
        batch, length, width = x.shape
        split = (batch, length, self.heads, width // self.heads)
        q, k, v = (part.view(split).transpose(1, 2) for part in self.qkv(x).chunk(3, dim=-1))
        scores = q @ k.transpose(-2, -1) / math.sqrt(width // self.heads)
        scores = scores.masked_fill(self.hidden, float("-inf"))
        mixed = torch.softmax(scores, dim=-1) @ v
        return self.out(mixed.transpose(1, 2).reshape(batch, length, width))


def get_inputs():
    return [torch.randn(BATCH, LENGTH, WIDTH) * 3]


def get_init_inputs():
    return [WIDTH, HEADS, LENGTH]
