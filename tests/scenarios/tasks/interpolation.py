"""Linear interpolation between points in rising order."""
import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, x, xp, fp):
        i = torch.searchsorted(xp, x).clamp(1, xp.shape[0] - 1)
        x0, x1, f0, f1 = xp[i - 1], xp[i], fp[i - 1], fp[i]
        return f0 + (f1 - f0) * (x - x0) / (x1 - x0)


def get_inputs():
    return [torch.rand(4096), torch.cumsum(torch.rand(33) + 0.1, 0) / 20, torch.randn(33)]


def get_init_inputs():
    return []
