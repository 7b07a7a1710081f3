# task: shifted_windows
# expect: correct
# why: One shift for two: of rows nothing is left, since a projection does not look at neighbours.
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.project = nn.Linear(width, width)

    def forward(self, x, shift):
        return torch.roll(self.project(x), shifts=-shift, dims=2)
