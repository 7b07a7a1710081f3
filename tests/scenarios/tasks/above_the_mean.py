"""How many elements of each row lie above the row's mean, and whether most do."""

import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, x):
        above = x > x.mean(-1, keepdim=True)
        count = above.sum(-1)
        return count, count * 2 > x.shape[-1]


def get_inputs():
    return [torch.randn(256, 512)]


def get_init_inputs():
    return []
