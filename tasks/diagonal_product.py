"""Row scaling written as a product with a diagonal matrix."""

import torch
import torch.nn as nn

ROWS = 512
COLUMNS = 512


class Model(nn.Module):
    def forward(self, scale, x):
        """scale: (rows,), x: (rows, columns) -> (rows, columns)."""
        return torch.diag(scale) @ x


def get_inputs():
    return [torch.randn(ROWS), torch.randn(ROWS, COLUMNS)]


def get_init_inputs():
    return []
