"""A batch norm in training, over 16,384 values a channel."""

import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.norm = nn.BatchNorm2d(width)

    def forward(self, x):
        return self.norm(x)


def get_inputs():
    return [torch.randn(16, 8, 32, 32)]


def get_init_inputs():
    return [8]
