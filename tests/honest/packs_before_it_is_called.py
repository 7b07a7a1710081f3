# task: low_rank
# expect: faster
# ratio_min: 1.1
# audited: yes
# why: Multiplies its factors in prepare(), which is called once weights are final.
import torch.nn as nn
import torch.nn.functional as F


class ModelNew(nn.Module):
    def __init__(self, width, rank):
        super().__init__()
        self.down = nn.Linear(width, rank, bias=False)
        self.up = nn.Linear(rank, width)

    def prepare(self):
        self.packed = (self.up.weight @ self.down.weight).detach()

    def forward(self, x):
        return F.linear(x, self.packed, self.up.bias)
