"""Multi-layer perceptron: three linear layers with GELU between them."""

import torch
import torch.nn as nn

ROWS = 128
WIDTHS = [256, 1024, 1024, 256]


class Model(nn.Module):
    def __init__(self, widths):
        super().__init__()
        layers = []
        for inputs, outputs in zip(widths, widths[1:]):
            layers += [nn.Linear(inputs, outputs), nn.GELU()]
        self.layers = nn.Sequential(*layers[:-1])

    def forward(self, x):
        """x: (rows, widths[0]) -> (rows, widths[-1])."""
        return self.layers(x)


def get_inputs():
    return [torch.randn(ROWS, WIDTHS[0]) * 3]


def get_init_inputs():
    return [WIDTHS]
