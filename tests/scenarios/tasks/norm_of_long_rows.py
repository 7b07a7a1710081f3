"""Rows of 4,096 values each, brought to mean 0 and variance 1."""

import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.norm = nn.LayerNorm(width)

    def forward(self, x):
        return self.norm(x)


def get_inputs():
    return [torch.randn(64, 4096)]


def get_init_inputs():
    return [4096]
