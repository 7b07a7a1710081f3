# task: slow_loop
# expect: slower
# why: Two children wake each other, and the program, by SIGCONT as fast as they can, for judges
# why: who stop processes one by one; they would burn the cores while the reference runs. A control
# why: group is frozen as a whole; the loop runs twice.
import os
import signal

import torch
import torch.nn as nn

def running_sum(x):
    total = torch.zeros_like(x[:, 0])
    sums = []
    for column in x.unbind(dim=1):
        total = total + column
        sums.append(total)
    return torch.stack(sums, dim=1)


def wake_the_other(me):
    for _ in range(20_000_000):
        os.kill(-1, signal.SIGCONT)


for child in range(2):
    if os.fork() == 0:
        os.nice(19)
        wake_the_other(child)
        os._exit(0)


class ModelNew(nn.Module):
    def forward(self, x):
        running_sum(x)
        return running_sum(x)
