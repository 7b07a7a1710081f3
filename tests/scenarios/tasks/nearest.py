"""The nearest of some rows to each row, as in a vector quantizer."""
import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, x, rows):
        distances = (x[:, None] - rows[None]).square().sum(dim=2)
        return rows[distances.argmin(dim=1)]


def get_inputs():
    return [torch.randn(256, 8), torch.randn(64, 8)]


def get_init_inputs():
    return []
