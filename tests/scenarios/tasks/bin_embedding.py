"""Embeddings of the bin that a number falls into."""
import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, bins, width):
        super().__init__()
        self.register_buffer("edges", torch.linspace(-3.1, 3.1, bins - 1))
        self.table = nn.Embedding(bins, width)

    def forward(self, x):
        return self.table(torch.bucketize(x, self.edges))


def get_inputs():
    return [torch.randn(64, 128)]


def get_init_inputs():
    return [16, 32]
