# task: scaled_with_scales
# expect: correct
# audited: yes
# why: Makes the scales once, and returns a copy in each call.
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, columns):
        super().__init__()
        self.raw = nn.Parameter(torch.randn(columns))

    def prepare(self):
        self.scales = nn.functional.softplus(self.raw.detach())

    def forward(self, x):
        return torch.tanh(x) * self.scales, self.scales.clone()
