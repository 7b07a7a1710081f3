# task: layer_scale
# expect: wrong(weights) | wrong(range)
# why: Leaves out a branch whose scales are constructed as a millionth: training makes them matter.
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.into, self.out = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)
        self.gamma = nn.Parameter(1e-6 * torch.ones(width))

    def forward(self, x):
        return x.clone()
