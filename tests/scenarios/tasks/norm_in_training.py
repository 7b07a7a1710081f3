"""A batch norm in training mode: each call moves its running statistics."""

import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, channels):
        super().__init__()
        self.norm = nn.BatchNorm2d(channels)

    def forward(self, x):
        return torch.relu(self.norm(x))


def get_inputs():
    return [torch.randn(8, 16, 16, 16) * 2 + 1]


def get_init_inputs():
    return [16]
