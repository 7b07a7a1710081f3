"""A vector quantizer on many rows: in some calls two codes are as near to a row as rounding tells."""
import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, x, codes):
        distances = (x[:, None] - codes[None]).square().sum(dim=2)
        return codes[distances.argmin(dim=1)]


def get_inputs():
    return [torch.randn(4096, 8), torch.randn(64, 8)]


def get_init_inputs():
    return []
