"""A small transformer as people write one: keywords, attention written out, a dataclass."""

import dataclasses
import math

import torch
import torch.nn as nn
import torch.nn.functional as F


@dataclasses.dataclass
class Encoded:
    hidden: torch.Tensor
    logits: torch.Tensor


class Norm(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.scale = nn.Parameter(torch.ones(width))

    def forward(self, x):
        return x * torch.rsqrt(x.square().mean(-1, keepdim=True) + 1e-6) * self.scale


class Block(nn.Module):
    def __init__(self, width, heads, layer_idx):
        super().__init__()
        self.heads, self.layer_idx = heads, layer_idx
        self.norm1, self.norm2 = Norm(width), Norm(width)
        self.query, self.key, self.value = (nn.Linear(width, width) for _ in range(3))
        self.out = nn.Linear(width, width)
        self.up, self.down = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)

    def split(self, x):
        return x.view(*x.shape[:2], self.heads, -1).transpose(1, 2)

    def forward(self, x, *, bias=None):
        y = self.norm1(x)
        q, k, v = self.split(self.query(y)), self.split(self.key(y)), self.split(self.value(y))
        weights = torch.softmax(q @ k.transpose(-2, -1) / math.sqrt(q.shape[-1]) + bias, dim=-1)
        x = x + self.out((weights @ v).transpose(1, 2).reshape(x.shape))
        return x + self.down(F.gelu(self.up(self.norm2(x))))


class Encoder(nn.Module):
    def __init__(self, vocabulary=64, width=64, heads=4, layers=6):
        super().__init__()
        self.embedding = nn.Embedding(vocabulary, width)
        self.layers = nn.ModuleList(Block(width, heads, i) for i in range(layers))
        self.norm = Norm(width)
        self.head = nn.Linear(width, vocabulary)

    def forward(self, tokens, bias=None):
        x = self.embedding(tokens)
        for layer in self.layers:
            x = layer(x, bias=bias)
        x = self.norm(x)
        return Encoded(hidden=x, logits=self.head(x))
