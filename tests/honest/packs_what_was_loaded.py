# task: low_rank
# expect: faster
# ratio_min: 1.1
# audited: yes
# why: Multiplies its factors in the first call, and again once either has been written to.
import torch.nn as nn
import torch.nn.functional as F


class ModelNew(nn.Module):
    def __init__(self, width, rank):
        super().__init__()
        self.down = nn.Linear(width, rank, bias=False)
        self.up = nn.Linear(rank, width)
        self.packed, self.versions = None, None

    def forward(self, x):
        versions = (self.up.weight._version, self.down.weight._version)
        if versions != self.versions:
            self.packed = (self.up.weight @ self.down.weight).detach()
            self.versions = versions
        return F.linear(x, self.packed, self.up.bias)
