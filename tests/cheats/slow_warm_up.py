# task: slow_loop
# expect: wrong(value) | wrong(range) | wrong(nan)
# why: Dawdles through the first calls, so that few calls are made, then returns what it had.
# why: Every call is checked, however many there are.
import time

import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.calls = 0

    def forward(self, x):
        self.calls += 1
        if self.calls < 8:
            time.sleep(0.05)
            self.last = torch.cumsum(x, dim=1)
        return self.last
