"""An RMS norm and a gated MLP in bfloat16. The norm itself is in float32, as in Llama."""
import torch
import torch.nn as nn
import torch.nn.functional as F


class Model(nn.Module):
    def __init__(self, width, inner, epsilon):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(width))
        self.gate = nn.Linear(width, inner, bias=False)
        self.up = nn.Linear(width, inner, bias=False)
        self.down = nn.Linear(inner, width, bias=False)
        self.epsilon = epsilon
        self.bfloat16()

    def forward(self, x):
        rows = x.float()
        rows = rows * torch.rsqrt(rows.square().mean(-1, keepdim=True) + self.epsilon)
        rows = self.weight * rows.to(x.dtype)
        return x + self.down(F.silu(self.gate(rows)) * self.up(rows))


def get_inputs():
    return [torch.randn(2, 32, 128).bfloat16()]


def get_init_inputs():
    return [128, 256, 1e-6]
