"""A small pre-norm transformer block: attention and MLP, each with a residual connection."""

import torch
import torch.nn as nn
import torch.nn.functional as F

BATCH = 2
LENGTH = 64
WIDTH = 256
HEADS = 4


class Model(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.norm1 = nn.LayerNorm(width)
        self.qkv = nn.Linear(width, 3 * width)
        self.out = nn.Linear(width, width)
        self.norm2 = nn.LayerNorm(width)
        self.up = nn.Linear(width, 4 * width)
        self.down = nn.Linear(4 * width, width)

    def attend(self, x):
        """x: (batch, length, width) -> the same shape."""
        batch, length, width = x.shape
        split = (batch, length, 3, self.heads, width // self.heads)
        q, k, v = self.qkv(x).view(split).permute(2, 0, 3, 1, 4)
        mixed = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        return self.out(mixed.transpose(1, 2).reshape(batch, length, width))

    def forward(self, x):
        """x: (batch, length, width) -> the same shape."""
        x = x + self.attend(self.norm1(x))
        return x + self.down(F.gelu(self.up(self.norm2(x))))


def get_inputs():
    return [torch.randn(BATCH, LENGTH, WIDTH) * 2]


def get_init_inputs():
    return [WIDTH, HEADS]
