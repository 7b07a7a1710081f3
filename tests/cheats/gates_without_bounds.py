# task: learned_gates
# expect: wrong(weights)
# why: Leaves out the bounds of learned gates, within which all are constructed.
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.gate = nn.Parameter(torch.rand(width))

    def forward(self, x, y):
        return torch.lerp(y, x, self.gate)
