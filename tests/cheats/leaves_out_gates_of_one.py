# task: as_constructed
# expect: wrong(weights) | slower
# why: Leaves out a persistent buffer of ones: a state dict may hold anything there.
import math

import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, length, width):
        super().__init__()
        self.identity = nn.Parameter(torch.eye(width))
        self.band = nn.Parameter(torch.eye(width))
        self.register_buffer("positions", torch.zeros(length, width))
        self.register_buffer("gates", torch.ones(width))
        self.register_buffer("causal", torch.ones(length, length).tril())

    def forward(self, x):
        x = (x + self.positions) @ self.identity
        scores = x @ x.transpose(1, 2) / math.sqrt(x.shape[-1])
        mixed = scores.masked_fill(self.causal == 0, float("-inf")).softmax(-1) @ x
        return mixed @ self.band
