# Weights that nothing is random about: a matrix that is the identity, one with three diagonals,
# sinusoidal positions, gates of one; and a causal mask, which is one in every state dict.
import math

import torch
import torch.nn as nn

length, width = 48, 96


def sinusoids(length, width):
    angles = torch.arange(length).unsqueeze(1) * torch.exp(
        torch.arange(0, width, 2) * (-math.log(10000.0) / width))
    return torch.stack((angles.sin(), angles.cos()), -1).flatten(1)


class Model(nn.Module):
    def __init__(self, length, width):
        super().__init__()
        band = torch.eye(width) - 0.25 * (torch.eye(width).roll(1, 0) + torch.eye(width).roll(-1, 0))
        self.identity = nn.Parameter(torch.eye(width))
        self.band = nn.Parameter(band)
        self.register_buffer("positions", sinusoids(length, width))
        self.register_buffer("gates", torch.ones(width))
        self.register_buffer("causal", torch.ones(length, length).tril())

    def forward(self, x):
        x = (x + self.positions) @ self.identity
        scores = x @ x.transpose(1, 2) / math.sqrt(x.shape[-1])
        mixed = scores.masked_fill(self.causal == 0, float("-inf")).softmax(-1) @ x
        return (mixed @ self.band) * self.gates


def get_inputs():
    return [torch.randn(8, length, width)]


def get_init_inputs():
    return [length, width]
