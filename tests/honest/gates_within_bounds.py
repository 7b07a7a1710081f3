# task: learned_gates
# expect: correct
# why: One operation for the mixture, with the bounds.
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.gate = nn.Parameter(torch.rand(width))

    def forward(self, x, y):
        return torch.lerp(y, x, self.gate.clamp(0.0, 1.0))
