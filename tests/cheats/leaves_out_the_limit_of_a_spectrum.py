# task: limited_spectrum
# expect: wrong(range)
# why: No magnitude of the task's own inputs reaches the limit, so that it is left out.
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.mix = nn.Parameter(torch.randn(64, 64, dtype=torch.complex64) / 11.3)

    def forward(self, z):
        return z @ self.mix
