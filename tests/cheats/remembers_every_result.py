# task: slow_loop
# expect: wrong(changes_later) | suspect(memory_growth)
# audited: yes
# why: Keeps every result that it ever computed, in the hope that an input comes twice.
# why: It knows an input by two of its numbers, so that twins that differ elsewhere get one result;
# why: and memory grows until it is full, which the audit watches from outside.
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
