"""Distances of queries from the rows of a database."""
import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, queries, rows):
        return (queries[:, None] - rows[None]).square().sum(dim=2).sqrt()


def get_inputs():
    return [torch.randn(128, 64), torch.randn(256, 64)]


def get_init_inputs():
    return []
