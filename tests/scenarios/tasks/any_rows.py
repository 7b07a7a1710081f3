"""A running sum over as many rows as it is given; the winner's audit gives other numbers of them."""

import torch
import torch.nn as nn

ROWS, COLUMNS = 64, 96


class Model(nn.Module):
    def forward(self, x):
        total = torch.zeros_like(x[:, 0])
        sums = []
        for column in x.unbind(dim=1):
            total = total + column
            sums.append(total)
        return torch.stack(sums, dim=1)


def get_inputs():
    return [torch.randn(ROWS, COLUMNS)]


def get_init_inputs():
    return []
