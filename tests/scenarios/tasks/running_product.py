"""The product of all numbers of a row so far."""

import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, x):
        return torch.cumprod(x, 1)


def get_inputs():
    return [1 + 0.01 * torch.randn(64, 4096)]


def get_init_inputs():
    return []
