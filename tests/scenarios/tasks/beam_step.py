"""One step of a beam search: the best continuations of all beams, by their beam and word."""

import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, beams):
        super().__init__()
        self.beams = beams

    def forward(self, scores, sums):
        rows, beams, words = scores.shape
        best, at = (scores + sums.unsqueeze(-1)).view(rows, beams * words).topk(self.beams, dim=-1)
        return best, torch.div(at, words, rounding_mode="floor"), at % words


def get_inputs():
    return [torch.randn(4, 5, 1000) * 2, -torch.rand(4, 5) * 5]


def get_init_inputs():
    return [5]
