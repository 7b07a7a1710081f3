import torch
import torch.nn as nn
import torch.nn.functional as F


class Model(nn.Module):
    """Convolution, GELU, mean over all places."""

    def __init__(self, channels, outputs):
        super().__init__()
        self.conv = nn.Conv2d(channels, outputs, 3)

    def forward(self, x):
        return F.gelu(self.conv(x)).mean(dim=(2, 3))


def get_inputs():
    return [torch.rand(2, 4, 82, 82)]


def get_init_inputs():
    return [4, 64]
