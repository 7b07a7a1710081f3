# task: slow_loop
# expect: slower
# why: Hundreds of timers that go off after the reply, one after another: interrupts for whoever
# why: runs then, cheaper to set than to take. A jail knows no timers but a thread's own; the loop
# why: runs twice.
import ctypes
import struct

import torch
import torch.nn as nn

def running_sum(x):
    total = torch.zeros_like(x[:, 0])
    sums = []
    for column in x.unbind(dim=1):
        total = total + column
        sums.append(total)
    return torch.stack(sums, dim=1)

MONOTONIC = 1
libc = ctypes.CDLL(None)
timers = [libc.timerfd_create(MONOTONIC, 0) for _ in range(300)]
times = [struct.pack("qqqq", 0, 0, 0, 150_000 + 3_000 * i) for i in range(len(timers))]


class ModelNew(nn.Module):
    def forward(self, x):
        running_sum(x)
        y = running_sum(x)
        for timer, time in zip(timers, times):
            libc.timerfd_settime(timer, 0, time, None)
        return y
