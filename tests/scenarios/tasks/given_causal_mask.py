"""Attention under a mask of whole numbers that is an input, and always the causal one."""
import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, query, key, value, mask):
        scores = (query @ key.transpose(1, 2)) * query.shape[-1] ** -0.5
        return scores.masked_fill(mask == 0, float("-inf")).softmax(-1) @ value


def get_inputs():
    return [*(torch.randn(4, 48, 16) for _ in range(3)), torch.ones(48, 48).tril().long()]


def get_init_inputs():
    return []
