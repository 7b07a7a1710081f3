"""A batch norm in training without its buffers, and the statistics that it found."""
import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, x):
        mean = x.mean((0, 2, 3), keepdim=True)
        centred = x - mean
        variance = (centred * centred).mean((0, 2, 3), keepdim=True)
        return centred / torch.sqrt(variance + 1e-5), mean.flatten(), variance.flatten()


def get_inputs():
    return [torch.randn(8, 16, 16, 16)]


def get_init_inputs():
    return []
