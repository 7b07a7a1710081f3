"""A package of a user's, written to a directory: a small transformer with keyword arguments, masks,
a dataclass for its output, functions of another module, and a script that serves it."""

import pathlib

PARTS = '''
import torch

EPSILON = 1e-5


def rotated(x, cos, sin):
    half = x.shape[-1] // 2
    return x * cos + torch.cat([-x[..., half:], x[..., :half]], dim=-1) * sin


class Norm(torch.nn.Module):
    def __init__(self, width):
        super().__init__()
        self.scale = torch.nn.Parameter(torch.ones(width))

    def forward(self, x):
        return x * torch.rsqrt(x.square().mean(-1, keepdim=True) + EPSILON) * self.scale
'''

MODEL = '''
import dataclasses
import math

import torch
from torch import nn
from torch.nn import functional as F

from . import parts
from .parts import Norm as RootNorm


@dataclasses.dataclass
class BlockOutput:
    hidden: torch.Tensor
    weights: torch.Tensor


class Block(nn.Module):
    def __init__(self, width, heads, *, activation=F.gelu, layer_idx=0):
        super().__init__()
        self.heads, self.activation, self.layer_idx = heads, activation, layer_idx
        self.norm, self.qkv = RootNorm(width), nn.Linear(width, 3 * width)
        self.out = nn.Linear(width, width)
        self.up, self.down = nn.Linear(width, 2 * width), nn.Linear(2 * width, width)

    def forward(self, hidden, mask=None, *, scale=None, rotary=None):
        batch, length, width = hidden.shape
        q, k, v = (part.view(batch, length, self.heads, -1).transpose(1, 2)
                   for part in self.qkv(self.norm(hidden)).chunk(3, -1))
        q, k = parts.rotated(q, *rotary), parts.rotated(k, *rotary)
        scores = q @ k.transpose(-1, -2) * (scale or 1 / math.sqrt(width // self.heads))
        weights = scores.masked_fill(~mask[:, None, None, :], -1e9).softmax(-1)
        mixed = (weights @ v).transpose(1, 2).reshape(batch, length, width)
        hidden = hidden + self.out(mixed)
        return BlockOutput(hidden + self.down(self.activation(self.up(hidden))), weights)


class Encoder(nn.Module):
    def __init__(self, width=32, heads=4, layers=3, vocabulary=50):
        super().__init__()
        self.embed = nn.Embedding(vocabulary, width)
        self.layers = nn.ModuleList(Block(width, heads, activation=F.silu, layer_idx=i)
                                    for i in range(layers))
        self.head = nn.Linear(width, vocabulary, bias=False)
        self.head.weight = self.embed.weight
        self.turn = width // heads

    def forward(self, ids, mask):
        hidden = self.embed(ids)
        angles = torch.arange(ids.shape[1])[:, None] / 10.0 ** torch.arange(self.turn)
        for layer in self.layers:
            hidden = layer(hidden, mask=mask, rotary=(angles.cos(), angles.sin())).hidden
        return {"logits": self.head(hidden), "hidden": hidden}
'''

SERVE = '''
import sys

import torch
from torch import nn

from tiny.model import Encoder

SCALE = 0.5


def halved(x):
    return x * SCALE


class Gate(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.project = nn.Linear(width, width)

    def forward(self, x):
        return torch.sigmoid(self.project(halved(x))) * x


class Server(nn.Module):
    def __init__(self):
        super().__init__()
        self.encoder, self.gate = Encoder(), Gate(32)

    def forward(self, ids, mask):
        return self.gate(self.encoder(ids, mask)["hidden"])


def inputs(length):
    return torch.randint(0, 50, (2, length)), torch.arange(length) < torch.tensor([[length], [5]])


if __name__ == "__main__":
    torch.manual_seed(0)
    torch.set_num_threads(1)
    model = Server().eval()
    with torch.no_grad():
        for weight in model.parameters():
            weight.add_(0.1 * torch.randn_like(weight))  # as if trained
        for turn in range(8):
            model(*inputs(16 if turn % 4 else 8))
    print("served with", sys.argv[1:])
'''


def write(directory):
    """Writes the package `tiny` and `serve.py` there; returns the script's path."""
    package = pathlib.Path(directory, "tiny")
    package.mkdir()
    (package / "__init__.py").write_text("", encoding="utf-8")
    (package / "parts.py").write_text(PARTS, encoding="utf-8")
    (package / "model.py").write_text(MODEL, encoding="utf-8")
    script = pathlib.Path(directory, "serve.py")
    script.write_text(SERVE, encoding="utf-8")
    return script
