"""Its input beside a running sum over some of its columns: what it returns first lies in the input."""

import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, x):
        total = torch.zeros_like(x[:, 0])
        sums = []
        for column in x[:, :96].unbind(dim=1):
            total = total + column
            sums.append(total)
        return x, torch.stack(sums, dim=1)


def get_inputs():
    return [torch.randn(256, 2048)]


def get_init_inputs():
    return []
