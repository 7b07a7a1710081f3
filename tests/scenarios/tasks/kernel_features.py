"""How near each number of one vector is to five places."""
import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, x):
        rows = []
        for place in (-1.0, -0.5, 0.0, 0.5, 1.0):
            rows.append(torch.exp(-(x - place) * (x - place)))
        return torch.stack(rows)


def get_inputs():
    return [torch.randn(4096)]


def get_init_inputs():
    return []
