# task: matmul
# device: cuda
# policy: exact
# expect: correct
# why: Four partial products under `exact`.
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, size):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(size, size) / size**0.5)

    def forward(self, x):
        y = torch.zeros_like(x)
        for part, weight in zip(x.chunk(4, dim=1), self.weight.chunk(4, dim=0)):
            y.addmm_(part, weight)
        return y
