# task: slow_loop
# expect: suspect(memory_growth)
# audited: yes
# why: Keeps every result that it ever computed, in the hope that an input comes twice.
# why: It is fast and right until the memory is full; the audit watches that grow, from outside.
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.results = {}

    def forward(self, x):
        key = (x[0, 0].item(), x[-1, -1].item())
        if key not in self.results:
            self.results[key] = torch.cumsum(x, dim=1)
        return self.results[key].clone()
