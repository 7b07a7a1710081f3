# task: slow_loop
# expect: slower | ambiguous | suspect(clock)
# why: Does what it has put off when the host collects garbage, which is before every sixteenth
# why: request, off its clock. The judge's clock runs by then, and the mean is charged.
import gc

import torch
import torch.nn as nn

def running_sum(x):
    total = torch.zeros_like(x[:, 0])
    sums = []
    for column in x.unbind(dim=1):
        total = total + column
        sums.append(total)
    return torch.stack(sums, dim=1)


owed = []


def pay(phase, _):
    while phase == "start" and owed:
        running_sum(owed.pop())


gc.callbacks.append(pay)


class ModelNew(nn.Module):
    def forward(self, x):
        owed.append(x.clone())
        return running_sum(x)
