# task: low_rank
# expect: wrong(weights) | slower
# audited: yes
# why: Multiplies its factors in the first call, and never again: weights that are loaded later do
# why: not reach it.
import torch.nn as nn
import torch.nn.functional as F


class ModelNew(nn.Module):
    def __init__(self, width, rank):
        super().__init__()
        self.down = nn.Linear(width, rank, bias=False)
        self.up = nn.Linear(rank, width)
        self.packed = None

    def forward(self, x):
        if self.packed is None:
            self.packed = (self.up.weight @ self.down.weight).detach()
        return F.linear(x, self.packed, self.up.bias)
