"""A matrix and its row maxima, by names."""
import collections

import torch
import torch.nn as nn

Totals = collections.namedtuple("Totals", "total top")


class Model(nn.Module):
    def forward(self, x, y):
        total = x * torch.sigmoid(y) + y
        return Totals(total, total.amax(dim=1))


def get_inputs():
    return [torch.randn(64, 128), torch.randn(64, 128) * 2]


def get_init_inputs():
    return []
