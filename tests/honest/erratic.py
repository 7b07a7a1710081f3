# task: slow_loop
# expect: ambiguous | faster | slower
# why: Right, but its time is drawn anew for every call, around the reference's.
import random
import time

import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        x = torch.randn(64, 96)
        self.loop(x)
        start = time.perf_counter()
        for _ in range(20):
            self.loop(x)
        self.usual_s = (time.perf_counter() - start) / 20

    def loop(self, x):
        total = torch.zeros_like(x[:, 0])
        sums = []
        for column in x.unbind(dim=1):
            total = total + column
            sums.append(total)
        return torch.stack(sums, dim=1)

    def forward(self, x):
        end = time.perf_counter() + self.usual_s * 2 * random.random()
        result = torch.cumsum(x, dim=1)
        while time.perf_counter() < end:
            pass
        return result
