# expect_error: get_inputs raised
import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, x):
        return x * 2


def get_inputs():
    return [torch.randn(8, 16) @ torch.randn(8, 16)]


def get_init_inputs():
    return []
