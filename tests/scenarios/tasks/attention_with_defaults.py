"""Attention with a mask, a scale and a flag, which its own calls leave at their defaults."""

import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, q, k, v, mask=None, scale=None, causal=False):
        scores = q @ k.transpose(-2, -1) * (scale or q.shape[-1] ** -0.5)
        if mask is not None:
            scores = scores.masked_fill(~mask, float("-inf"))
        if causal:
            later = torch.ones(q.shape[-2], k.shape[-2], dtype=torch.bool).triu(1)
            scores = scores.masked_fill(later, float("-inf"))
        return scores.softmax(-1) @ v


def get_inputs():
    return [torch.randn(4, 4, 192, 32) for _ in range(3)]


def get_init_inputs():
    return []
