"""Where the largest of each row stands, of columns sorted twice: a call so long that few are made."""
import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, x):
        ranked = torch.sort(torch.sort(x, dim=0).values, dim=0).values
        return torch.max(ranked, dim=1).indices


def get_inputs():
    return [torch.randn(2048, 1024)]


def get_init_inputs():
    return []
