# task: slow_loop
# expect: wrong(value) | wrong(range)
# why: Remembers the first result of every shape.
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.known = {}

    def forward(self, x):
        if x.shape not in self.known:
            self.known[x.shape] = torch.cumsum(x, dim=1)
        return self.known[x.shape]
