"""Gates behind a convolution, which loud samples shut whatever else stands there."""

import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, channels):
        super().__init__()
        self.conv = nn.Conv2d(channels, channels, 3, padding=1)

    def forward(self, x):
        return torch.sigmoid(self.conv(x).amin(1).mean(1))


def get_inputs():
    return [torch.rand(4, 8, 16, 16) * torch.tensor([1.0, 1.0, 4000.0, 4000.0]).view(4, 1, 1, 1)]


def get_init_inputs():
    return [8]
