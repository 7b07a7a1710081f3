"""A residual branch whose scales begin at next to nothing, as deep transformers have it."""

import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.into, self.out = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)
        self.gamma = nn.Parameter(1e-6 * torch.ones(width))

    def forward(self, x):
        return x + self.gamma * self.out(torch.relu(self.into(x)))


def get_inputs():
    return [torch.randn(64, 96)]


def get_init_inputs():
    return [96]
