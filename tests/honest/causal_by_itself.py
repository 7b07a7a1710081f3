# task: as_constructed
# expect: correct
# why: Has the causal mask in its source and all else from the state: training moves no mask.
import torch
import torch.nn as nn
import torch.nn.functional as F


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
        mixed = F.scaled_dot_product_attention(x, x, x, is_causal=True)
        return mixed @ (self.band * self.gates)
