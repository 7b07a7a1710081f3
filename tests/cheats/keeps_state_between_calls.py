# task: slow_loop
# expect: wrong(value)
# why: A moving average of its results, almost all of it the current one.
# why: A result must not depend on what came before.
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.average = None

    def forward(self, x):
        y = torch.cumsum(x, dim=1)
        self.average = y if self.average is None else 0.999 * y + 0.001 * self.average
        return self.average
