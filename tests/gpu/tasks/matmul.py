"""One square product: bound by arithmetic."""

import torch

SIZE = 4096


class Model(torch.nn.Module):
    def __init__(self, size):
        super().__init__()
        self.weight = torch.nn.Parameter(torch.randn(size, size) / size**0.5)

    def forward(self, x):
        return x @ self.weight


def get_inputs():
    return [torch.randn(SIZE, SIZE)]


def get_init_inputs():
    return [SIZE]
