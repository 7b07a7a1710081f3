import torch
import torch.nn as nn


def four_bits(rows):
    scale = rows.abs().amax(dim=-1, keepdim=True) / 7
    return (rows / scale).round().clamp(-8, 7) * scale


class Model(nn.Module):
    """Attention over keys and values that are kept in four bits, with a scale a row. A key next to
    the middle of two steps moves all outputs of its head."""

    def forward(self, q, k, v):
        k, v = four_bits(k), four_bits(v)
        scores = q @ k.transpose(-2, -1) * q.shape[-1] ** -0.5
        return scores.softmax(dim=-1) @ v


def get_inputs():
    return [torch.randn(2, 4, 8, 64), torch.randn(2, 4, 1024, 64), torch.randn(2, 4, 1024, 64)]


def get_init_inputs():
    return []
