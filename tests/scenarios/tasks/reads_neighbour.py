"""It reads a file beside itself when constructed; in a host's jail there is none."""

import os

import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        with open(os.path.join(os.path.dirname(__file__), "reads_neighbour.py")) as file:
            self.scale = 1.0 + len(file.readline()) / 100

    def forward(self, x):
        return torch.relu(x * self.scale - 0.1)


def get_inputs():
    return [torch.randn(64, 64)]


def get_init_inputs():
    return []
