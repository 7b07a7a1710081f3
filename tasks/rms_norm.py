"""Root-mean-square normalization written out, as language models have it."""

import torch
import torch.nn as nn

TOKENS = 2048
WIDTH = 1024


class Model(nn.Module):
    def __init__(self, width, eps):
        super().__init__()
        self.weight = nn.Parameter(1.0 + 0.3 * torch.randn(width))
        self.eps = eps

    def forward(self, x):
        """x: (tokens, width) -> (tokens, width)."""
        mean_square = x.pow(2).mean(dim=-1, keepdim=True)
        return x * torch.rsqrt(mean_square + self.eps) * self.weight


def get_inputs():
    return [torch.randn(TOKENS, WIDTH) * 3]


def get_init_inputs():
    return [WIDTH, 1e-6]
