# task: as_constructed
# expect: correct
# why: Leaves a matrix out where the state that was loaded says that it is the identity, and only
# why: there. Nothing is claimed that other weights would take back.
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

    def prepare(self):
        self.mixes = not torch.equal(self.identity, torch.eye(len(self.identity)))

    def forward(self, x):
        x = x + self.positions
        x = x @ self.identity if self.mixes else x
        scores = x @ x.transpose(1, 2) / math.sqrt(x.shape[-1])
        mixed = scores.masked_fill(self.causal == 0, float("-inf")).softmax(-1) @ x
        return (mixed @ self.band) * self.gates
