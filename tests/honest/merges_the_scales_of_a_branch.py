# task: layer_scale
# expect: correct
# why: Scales of a residual branch, merged into the layer before them once the weights are there.
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.into, self.out = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)
        self.gamma = nn.Parameter(1e-6 * torch.ones(width))

    def prepare(self):
        self.weight = (self.gamma[:, None] * self.out.weight).t().contiguous()
        self.bias = self.gamma * self.out.bias

    def forward(self, x):
        hidden = torch.relu_(self.into(x))
        return (x + self.bias).addmm_(hidden, self.weight)
