"""Scores of the last place alone, as a language model reads them: norm, adapter, product."""

import torch
import torch.nn as nn

BATCH = 8
LENGTH = 64
WIDTH = 256
RANK = 192
VOCABULARY = 1024


class Model(nn.Module):
    def __init__(self, width, rank, vocabulary):
        super().__init__()
        self.norm = nn.LayerNorm(width)
        self.down = nn.Linear(width, rank, bias=False)
        self.up = nn.Linear(rank, width, bias=False)
        self.head = nn.Linear(width, vocabulary)

    def forward(self, hidden):
        """hidden: (batch, length, width) -> (batch, vocabulary)."""
        scores = self.head(self.up(self.down(self.norm(hidden))))
        return scores[:, -1]


def get_inputs():
    return [torch.randn(BATCH, LENGTH, WIDTH)]


def get_init_inputs():
    return [WIDTH, RANK, VOCABULARY]
