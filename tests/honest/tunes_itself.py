# task: slow_loop
# expect: faster
# ratio_min: 2
# why: Times two ways of doing it in its first calls, by its own watch, and keeps the better one.
import time

import torch
import torch.nn as nn

WAYS = {"scan": lambda x: torch.cumsum(x, dim=1),
        "columns": lambda x: torch.stack(
            [x[:, :j + 1].sum(dim=1) for j in range(x.shape[1])], dim=1)}


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.seconds = {}

    def forward(self, x):
        untried = [way for way in WAYS if way not in self.seconds]
        way = untried[0] if untried else min(self.seconds, key=self.seconds.get)
        start = time.perf_counter()
        y = WAYS[way](x)
        if untried:
            self.seconds[way] = time.perf_counter() - start
        return y
