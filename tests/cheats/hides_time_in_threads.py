# task: slow_loop
# expect: slower
# why: Leaves a busy thread behind in each call, to slow down whoever comes next, and runs the loop
# why: twice. The thread is frozen when the reply is here.
import threading
import time

import torch
import torch.nn as nn

def running_sum(x):
    total = torch.zeros_like(x[:, 0])
    sums = []
    for column in x.unbind(dim=1):
        total = total + column
        sums.append(total)
    return torch.stack(sums, dim=1)


def burn():
    end = time.monotonic() + 0.002
    while time.monotonic() < end:
        pass


class ModelNew(nn.Module):
    def forward(self, x):
        threading.Thread(target=burn, daemon=True).start()
        running_sum(x)
        return running_sum(x)
