"""A matrix by a number as its key, and its row maxima by a word."""
import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, x, y):
        total = x * torch.sigmoid(y) + y
        return {1: total, "top": total.amax(dim=1)}


def get_inputs():
    return [torch.randn(64, 128), torch.randn(64, 128) * 2]


def get_init_inputs():
    return []
