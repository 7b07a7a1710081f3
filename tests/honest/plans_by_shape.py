# task: slow_loop
# expect: faster
# audited: slow
# ratio_min: 2
# why: Remembers plans and workspaces by shape, never results.
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.plans = {}

    def forward(self, x):
        if x.shape not in self.plans:
            self.plans[x.shape] = torch.empty_like(x)
        return torch.cumsum(x, dim=1, out=self.plans[x.shape]).clone()
