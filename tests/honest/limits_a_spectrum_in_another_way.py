# task: limited_spectrum
# expect: correct
# why: Divides by what is beyond the limit, where something is.
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.mix = nn.Parameter(torch.randn(64, 64, dtype=torch.complex64) / 11.3)

    def forward(self, z):
        mixed = z @ self.mix
        return mixed / (mixed.abs() / 16.0).clamp_(min=1.0)
