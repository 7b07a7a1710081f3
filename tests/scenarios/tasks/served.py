"""A convolution with a batch norm and a dropout, as it is served: served.toml says inference."""

import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, channels):
        super().__init__()
        self.conv = nn.Conv2d(channels, channels, 3, padding=1)
        self.norm = nn.BatchNorm2d(channels)
        self.drop = nn.Dropout(0.5)

    def forward(self, x):
        return self.drop(torch.relu(self.norm(self.conv(x))))


def get_inputs():
    return [torch.randn(8, 8, 16, 16)]


def get_init_inputs():
    return [8]
