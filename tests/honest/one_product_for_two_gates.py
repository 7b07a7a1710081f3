# task: gated_in_bfloat16
# expect: correct
# why: One product for two, and what is between products is computed in float32 and rounded once.
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
        self.both = torch.cat([self.gate.weight, self.up.weight]).detach()

    def forward(self, x):
        rows = F.rms_norm(x.float(), x.shape[-1:], self.weight.float(), self.epsilon).bfloat16()
        gate, up = F.linear(rows, self.both).float().chunk(2, -1)
        inner = (F.silu(gate) * up).bfloat16()
        return (x.float() + self.down(inner).float()).bfloat16()
