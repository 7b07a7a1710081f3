# task: as_constructed
# expect: wrong(weights) | slower
# why: Computes the sinusoidal positions by itself and never reads those of the state.
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
        angles = torch.arange(length).unsqueeze(1) * torch.exp(
            torch.arange(0, width, 2) * (-math.log(10000.0) / width))
        self.own = (torch.stack((angles.sin(), angles.cos()), -1).flatten(1),)

    def forward(self, x):
        x = (x + self.own[0]) @ self.identity
        scores = x @ x.transpose(1, 2) / math.sqrt(x.shape[-1])
        mixed = scores.masked_fill(self.causal == 0, float("-inf")).softmax(-1) @ x
        return (mixed @ self.band) * self.gates
