"""Ridge regression in float64. On shifted inputs its system is nearly singular."""

import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, x, y):
        products = x.transpose(0, 1) @ x + 0.1 * torch.eye(x.shape[1], dtype=x.dtype)
        return torch.linalg.solve(products, x.transpose(0, 1) @ y)


def get_inputs():
    return [torch.randn(256, columns, dtype=torch.float64) for columns in (24, 4)]


def get_init_inputs():
    return []
