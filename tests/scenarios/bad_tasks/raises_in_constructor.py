# expect_error: construct raised
import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.linear = nn.Linear(width, 16)

    def forward(self, x):
        return self.linear(x)


def get_inputs():
    return [torch.randn(8, 16)]


def get_init_inputs():
    return []
