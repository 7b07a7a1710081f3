# task: matmul
# device: cuda
# policy: exact
# expect: wrong(value)
# why: Turns TF32 on for itself under `exact`.
# why: Its error is 870 times that of fp32, 32 times are allowed.
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, size):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(size, size) / size**0.5)

    def forward(self, x):
        torch.backends.cuda.matmul.allow_tf32 = True
        return x @ self.weight
