# task: slow_loop
# expect: wrong(value) | wrong(range) | wrong(nondeterministic)
# why: Recomputes only when torch's version counter of the input has moved.
# why: The judge writes inputs from another process, which no counter sees.
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.seen = None

    def forward(self, x):
        if self.seen != x._version:
            self.seen, self.last = x._version, torch.cumsum(x, dim=1)
        return self.last
