# task: matmul
# device: cuda
# policy: exact
# expect: correct
# why: cuBLAS into a buffer of its own, under `exact`.
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, size):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(size, size) / size**0.5)

    def forward(self, x):
        return torch.matmul(x, self.weight, out=torch.empty_like(x))
