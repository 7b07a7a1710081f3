"""A cache of the last states, which each call shifts by one, and their mean."""
import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, x, cache):
        cache.copy_(torch.cat([cache[:, 1:], x.unsqueeze(1)], dim=1))
        return cache.mean(dim=1)


def get_inputs():
    return [torch.randn(16, 256), torch.randn(16, 128, 256)]


def get_init_inputs():
    return []
