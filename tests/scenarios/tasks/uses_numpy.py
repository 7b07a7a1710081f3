"""Makes its inputs and a buffer with numpy."""

import numpy as np
import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.register_buffer("window", torch.from_numpy(np.hanning(width).astype(np.float32)))

    def forward(self, x):
        return (x * self.window).cumsum(-1)


def get_inputs():
    return [torch.from_numpy(np.random.randn(32, 128).astype(np.float32))]


def get_init_inputs():
    return [128]
