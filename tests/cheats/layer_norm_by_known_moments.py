# task: layer_norm
# expect: wrong(value)
# why: The task draws with mean 1 and deviation 2; these stand for each row's own.
# why: 256 samples have not the moments of their distribution.
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.norm = nn.LayerNorm(width)
        nn.init.normal_(self.norm.weight, mean=1.0, std=0.2)

    def forward(self, x):
        return (x - 1) * 0.5 * self.norm.weight + self.norm.bias
