# task: layer_norm
# expect: correct
# why: Draws its weights differently; the names match, so they are loaded.
import torch
import torch.nn as nn
import torch.nn.functional as F


class ModelNew(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.norm = nn.Module()
        self.norm.bias = nn.Parameter(torch.randn(width))
        self.norm.weight = nn.Parameter(torch.randn(width))

    def forward(self, x):
        return F.layer_norm(x, x.shape[1:], self.norm.weight, self.norm.bias)
