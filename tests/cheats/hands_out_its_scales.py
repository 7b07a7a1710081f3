# task: scaled_with_scales
# expect: wrong(layout)
# audited: yes
# why: Makes the scales once, and returns them in each call. A user who works on them in place, as
# on any output, changes all later calls.
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, columns):
        super().__init__()
        self.raw = nn.Parameter(torch.randn(columns))

    def prepare(self):
        self.scales = nn.functional.softplus(self.raw.detach())

    def forward(self, x):
        return torch.tanh(x) * self.scales, self.scales
