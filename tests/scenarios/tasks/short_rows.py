"""Rows of 16 elements, half of them a thousand million times smaller than the others."""
import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, x, quiet):
        return torch.tanh(x) * torch.where(quiet, 1e-9, 1.0).unsqueeze(1)


def get_inputs():
    return [torch.randn(512, 16), torch.rand(512) < 0.5]


def get_init_inputs():
    return []
