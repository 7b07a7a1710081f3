"""The product of all numbers of a column so far."""

import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, x):
        return torch.cumprod(x, 0)


def get_inputs():
    return [1 + 0.01 * torch.randn(2048, 64)]


def get_init_inputs():
    return []
