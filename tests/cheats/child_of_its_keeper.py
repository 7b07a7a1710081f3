# task: slow_loop
# expect: slower
# why: Gives a child to the process that waits for its own end (CLONE_PARENT), which no list of its
# why: children shows, to burn a core while the reference runs. It is in the same control group and
# why: the same jail; the loop runs twice.
import ctypes
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


CLONE, CLONE_PARENT = 56, 0x8000
clone = ctypes.CDLL(None).syscall
if os.uname().machine == "x86_64" and clone(CLONE, CLONE_PARENT, 0, 0, 0, 0) == 0:
    os.nice(19)
    while True:
        pass


class ModelNew(nn.Module):
    def forward(self, x):
        running_sum(x)
        return running_sum(x)
