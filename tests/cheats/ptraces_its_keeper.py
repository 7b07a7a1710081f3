# task: slow_loop
# expect: slower
# why: A child tries to attach to every process that it can see, to write a better claim there.
# why: In the jail there is nobody but itself; the loop runs twice.
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


def attach_to_all():
    libc = ctypes.CDLL(None)
    own = os.getppid()
    for name in os.listdir("/proc"):
        if name.isdigit() and int(name) not in (os.getpid(), own):
            libc.ptrace(16, int(name), 0, 0)
            libc.ptrace(17, int(name), 0, 0)


if os.fork() == 0:
    attach_to_all()
    os._exit(0)
os.wait()


class ModelNew(nn.Module):
    def forward(self, x):
        running_sum(x)
        return running_sum(x)
