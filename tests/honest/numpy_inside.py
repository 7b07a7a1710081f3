# task: uses_numpy
# expect: correct
# why: Computes with numpy, on the memory of its input and of what it returns.
import numpy as np
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.register_buffer("window", torch.zeros(width))

    def forward(self, x):
        windowed = x.numpy() * self.window.numpy()
        return torch.from_numpy(np.cumsum(windowed, axis=-1, dtype=np.float32))
