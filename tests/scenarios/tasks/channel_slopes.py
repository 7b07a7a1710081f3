"""A PReLU with a slope for each channel."""

import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, channels):
        super().__init__()
        self.activation = nn.PReLU(channels)

    def forward(self, x):
        return self.activation(x)


def get_inputs():
    return [torch.randn(4, 32, 32, 32)]


def get_init_inputs():
    return [32]
