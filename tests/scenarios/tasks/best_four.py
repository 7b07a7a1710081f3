"""The places of the four largest of each row."""
import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, x):
        return torch.topk(x, 4, dim=1).indices


def get_inputs():
    return [torch.randn(256, 64)]


def get_init_inputs():
    return []
