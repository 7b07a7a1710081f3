"""A transposed result whose memory format is part of the contract (transposed.toml)."""

import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, x):
        return (x * 2 + 1).t()


def get_inputs():
    return [torch.randn(64, 128)]


def get_init_inputs():
    return []
