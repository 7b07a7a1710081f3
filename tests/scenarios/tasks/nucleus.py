import torch
import torch.nn as nn


class Model(nn.Module):
    """Logits of the likeliest words that make up nine tenths; all others are -inf."""

    def forward(self, logits):
        sorted_logits, places = logits.sort(dim=-1, descending=True)
        chances = sorted_logits.softmax(-1)
        drop = chances.cumsum(-1) - chances > 0.9
        kept = sorted_logits.masked_fill(drop, float("-inf"))
        return torch.empty_like(logits).scatter_(1, places, kept)


def get_inputs():
    return [torch.randn(64, 2048) * 2]
