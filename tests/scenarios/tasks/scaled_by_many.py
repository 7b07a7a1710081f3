import torch
import torch.nn as nn

OUTPUTS = 24


class Model(nn.Module):
    """One input times each of 24 numbers: many outputs, none of which takes long."""

    def __init__(self):
        super().__init__()
        self.scales = nn.Parameter(torch.rand(OUTPUTS) + 0.5)

    def forward(self, x):
        return tuple(x * scale for scale in self.scales.unbind())


def get_inputs():
    return [torch.rand(128, 256)]
