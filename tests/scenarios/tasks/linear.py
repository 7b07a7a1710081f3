"""One linear layer with weights."""

import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, inputs, outputs):
        super().__init__()
        self.linear = nn.Linear(inputs, outputs)

    def forward(self, x):
        return self.linear(x)


def get_inputs():
    return [torch.randn(64, 128) * 2]


def get_init_inputs():
    return [128, 96]
