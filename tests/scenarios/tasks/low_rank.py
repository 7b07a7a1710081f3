"""A linear layer in two factors."""

import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, width, rank):
        super().__init__()
        self.down = nn.Linear(width, rank, bias=False)
        self.up = nn.Linear(rank, width)

    def forward(self, x):
        return self.up(self.down(x))


def get_inputs():
    return [torch.randn(512, 256)]


def get_init_inputs():
    return [256, 256]
