# task: slow_loop
# expect: faster
# audited: yes
# ratio_min: 1.5
# why: Makes room for 32 MB at its third call and keeps a bounded list of its last shapes and sums.
# why: Memory that grows until a cache is full is no leak.
import collections

import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.calls = 0
        self.workspace = None
        self.recent = collections.deque(maxlen=64)

    def forward(self, x):
        self.calls += 1
        if self.calls == 3:
            self.workspace = torch.zeros(8 << 20)
        y = torch.cumsum(x, dim=1)
        self.recent.append(y[:, -1].clone())
        return y
