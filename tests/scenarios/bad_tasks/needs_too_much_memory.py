# expect_error: memory
import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, x):
        return x * 2


def get_inputs():
    return [torch.randn(1 << 24, 1 << 20)]


def get_init_inputs():
    return []
