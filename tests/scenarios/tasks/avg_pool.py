"""Average pooling of small images."""

import torch
import torch.nn as nn
import torch.nn.functional as F


class Model(nn.Module):
    def forward(self, x):
        return F.avg_pool2d(x, 4)


def get_inputs():
    return [torch.randn(4, 16, 32, 32) * 2]


def get_init_inputs():
    return []
