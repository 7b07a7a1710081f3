# task: slow_loop
# expect: slower
# why: Children that compete with the twin for the cores, to hide that the loop runs twice.
# why: Frozen with their host, they cannot.
import os

import torch
import torch.nn as nn

def running_sum(x):
    total = torch.zeros_like(x[:, 0])
    sums = []
    for column in x.unbind(dim=1):
        total = total + column
        sums.append(total)
    return torch.stack(sums, dim=1)


for _ in range(2):
    if os.fork() == 0:
        while True:
            pass


class ModelNew(nn.Module):
    def forward(self, x):
        running_sum(x)
        return running_sum(x)
