"""The four largest of each of some long rows."""
import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, x):
        return torch.topk(x, 4, dim=1).values


def get_inputs():
    return [torch.randn(64, 8192)]


def get_init_inputs():
    return []
