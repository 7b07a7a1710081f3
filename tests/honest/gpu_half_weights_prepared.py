# task: matmul
# device: cuda
# policy: half
# expect: faster
# ratio_min: 2
# why: Weights cast once in prepare(), products in bf16.
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, size):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(size, size) / size**0.5)

    def prepare(self):
        self.cast = self.weight.detach().bfloat16()

    def forward(self, x):
        return (x.bfloat16() @ self.cast).float()
