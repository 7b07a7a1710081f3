"""Rows scaled by positive numbers, and these numbers, as a layer that is asked for both gives them."""

import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, columns):
        super().__init__()
        self.raw = nn.Parameter(torch.randn(columns))

    def forward(self, x):
        scales = torch.log1p(torch.exp(self.raw))
        return torch.tanh(x) * scales, scales


def get_inputs():
    return [torch.randn(64, 256)]


def get_init_inputs():
    return [256]
