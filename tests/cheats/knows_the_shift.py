# task: shifted_windows
# expect: wrong(range) | slower
# why: Has the shift in its source, which is the same in all calls of the task's own.
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.project = nn.Linear(width, width)

    def forward(self, x, shift):
        return torch.roll(self.project(x), shifts=-3, dims=2)
