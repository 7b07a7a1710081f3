# task: learned_slopes
# expect: wrong(weights)
# why: The larger of x and slope x, which is right while no slope is above one.
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.slope = nn.Parameter(torch.full((width,), 0.25))

    def forward(self, x):
        return torch.maximum(x, self.slope * x)
