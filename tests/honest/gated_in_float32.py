# task: gated_in_bfloat16
# expect: correct
# why: All in float32, rounded once at the end: nearer to what is right than the model itself.
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
        self.wide = [layer.weight.detach().float() for layer in (self.gate, self.up, self.down)]

    def forward(self, x):
        gate, up, down = self.wide
        rows = F.rms_norm(x.float(), x.shape[-1:], self.weight.float(), self.epsilon)
        result = F.linear(F.silu(F.linear(rows, gate)) * F.linear(rows, up), down)
        return (x.float() + result).bfloat16()
