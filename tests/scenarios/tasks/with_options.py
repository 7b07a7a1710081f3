"""A scale and a flag among the arguments, which are the same in every call of the task's own."""

import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, x, scale, causal):
        scores = x @ x.transpose(1, 2) * scale
        if causal:
            mask = torch.ones(x.shape[1], x.shape[1], dtype=torch.bool).triu(1)
            scores = scores.masked_fill(mask, float("-inf"))
        return scores.softmax(-1) @ x


def get_inputs():
    return [torch.randn(8, 48, 32), 0.25, True]


def get_init_inputs():
    return []
