import torch
import torch.nn as nn


class Model(nn.Module):
    """One query over a cache of keys that is filled up to a place, the last one in each call."""

    def forward(self, query, keys, values, at):
        scores = query @ keys.transpose(-1, -2) / 8
        scores = scores.masked_fill(torch.arange(256, device=query.device) > at, float("-inf"))
        return scores.softmax(-1) @ values


def get_inputs():
    return [torch.randn(4, 8, 1, 64), torch.randn(4, 8, 256, 64), torch.randn(4, 8, 256, 64),
            torch.tensor(255)]
