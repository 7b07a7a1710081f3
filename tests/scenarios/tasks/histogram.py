"""How many elements fall into each of 64 bins."""
import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, x):
        bins = ((x + 4) * 8).long().clamp(0, 63)
        return torch.bincount(bins.view(-1), minlength=64)


def get_inputs():
    return [torch.randn(128, 128)]


def get_init_inputs():
    return []
