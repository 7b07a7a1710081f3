"""A model for whose weights there is no room when they are first asked for: referee, `weights`."""
import sys

import torch
import torch.nn as nn

asked = 0


def is_for_weights():
    frame = sys._getframe()
    while frame is not None and frame.f_code.co_name != "weights":
        frame = frame.f_back
    return frame is not None


class Model(nn.Module):
    def __init__(self):
        global asked
        super().__init__()
        asked += is_for_weights()
        if is_for_weights() and asked == 1:
            raise MemoryError("no room yet")
        self.linear = nn.Linear(64, 64)

    def forward(self, x):
        return self.linear(x)


def get_inputs():
    return [torch.randn(32, 64)]


def get_init_inputs():
    return []
