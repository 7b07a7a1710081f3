# task: slow_loop
# expect: ambiguous(deferred_work) | suspect(clock) | slower
# why: Most calls are cheap; every eighth pays for all, many times over.
import time

import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.calls = 0

    def forward(self, x):
        self.calls += 1
        if self.calls % 8 == 0:
            end = time.perf_counter() + 0.02
            while time.perf_counter() < end:
                pass
        return torch.cumsum(x, dim=1)
