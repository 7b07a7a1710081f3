"""Embedding bag: gather rows of a table by integer ids, weight them, sum every bag, add a bias."""

import torch
import torch.nn as nn

BAGS = 2048
IDS_PER_BAG = 32
ROWS = 20000
WIDTH = 64


class Model(nn.Module):
    def __init__(self, rows, width):
        super().__init__()
        self.table = nn.Embedding(rows, width)
        self.bias = nn.Parameter(torch.randn(width))

    def forward(self, ids, weights):
        """ids: (bags, ids per bag) int64, weights: like ids -> (bags, width)."""
        return (self.table(ids) * weights.unsqueeze(-1)).sum(dim=1) + self.bias


def get_inputs():
    ids = torch.randint(0, ROWS, (BAGS, IDS_PER_BAG))
    return [ids, torch.randn(BAGS, IDS_PER_BAG)]


def get_init_inputs():
    return [ROWS, WIDTH]
