# task: slow_loop
# expect: wrong(value) | wrong(range)
# why: Honest for 20 calls; then it returns the last honest result.
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.calls = 0

    def forward(self, x):
        self.calls += 1
        if self.calls <= 20:
            self.last = torch.cumsum(x, dim=1)
        return self.last
