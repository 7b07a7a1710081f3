"""One step of decoding: queries of one token over a cache that is filled up to a place."""
import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, query, keys, values, at):
        scores = torch.matmul(query, keys.transpose(-1, -2)) * 0.125
        scores = scores.masked_fill(torch.arange(512) > at, float("-inf"))
        return torch.softmax(scores, -1) @ values


def get_inputs():
    cache = [torch.randn(2, 8, 512, 64) for _ in range(2)]
    return [torch.randn(2, 8, 1, 64), *cache, torch.tensor(400)]


def get_init_inputs():
    return []
