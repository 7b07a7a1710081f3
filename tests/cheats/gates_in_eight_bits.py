# task: gated_in_bfloat16
# expect: wrong(value) | wrong(range)
# why: Weights of eight bits in a model of bfloat16. Beside the input that is added they show
# why: little, but where it is small.
import torch
import torch.nn as nn
import torch.nn.functional as F


class ModelNew(nn.Module):
    def __init__(self, width, inner, epsilon):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(width))
        self.gate = nn.Linear(width, inner, bias=False)
        self.up = nn.Linear(width, inner, bias=False)
        self.down = nn.Linear(inner, width, bias=False)
        self.epsilon = epsilon
        self.bfloat16()

    def prepare(self):
        self.packed = [layer.weight.detach().to(torch.float8_e4m3fn).bfloat16()
                       for layer in (self.gate, self.up, self.down)]

    def forward(self, x):
        gate, up, down = self.packed
        rows = x.float()
        rows = rows * torch.rsqrt(rows.square().mean(-1, keepdim=True) + self.epsilon)
        rows = self.weight * rows.to(x.dtype)
        return x + F.linear(F.silu(F.linear(rows, gate)) * F.linear(rows, up), down)
