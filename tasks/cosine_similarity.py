"""Reduction: cosine similarity of paired rows that are partly correlated."""

import torch
import torch.nn as nn
import torch.nn.functional as F

ROWS = 4096
WIDTH = 512


class Model(nn.Module):
    def forward(self, a, b):
        """a, b: (rows, width) -> (rows,), each in [-1, 1]."""
        dot = (a * b).sum(dim=1)
        return dot / (F.relu(a.norm(dim=1) * b.norm(dim=1) - 1e-8) + 1e-8)


def get_inputs():
    a = torch.randn(ROWS, WIDTH) * 2
    mix = 2 * torch.rand(ROWS, 1) - 1
    return [a, mix * a + torch.randn(ROWS, WIDTH)]


def get_init_inputs():
    return []
