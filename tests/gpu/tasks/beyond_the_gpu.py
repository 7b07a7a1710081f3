"""3.5 GiB in and out: the vault of a round lies in the machine's memory, of a GPU of 140 GiB."""

import torch

ROWS, COLUMNS = 3584, 1 << 18


class Model(torch.nn.Module):
    def forward(self, x):
        return torch.relu(x * 2) * 0.5


def get_inputs():
    return [torch.randn(ROWS, COLUMNS)]


def get_init_inputs():
    return []
