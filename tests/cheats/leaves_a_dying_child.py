# task: slow_loop
# expect: slower | runtime_error
# why: Ends a child with a lot of memory in each call, which the kernel takes down while the
# why: reference would run. Freezing waits for who is dying; the loop runs twice.
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


def large_child():
    child = os.fork()
    if child == 0:
        memory = bytearray(b"x") * (32 << 20)
        while memory:
            signal.pause()
    return child


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.children = [large_child() for _ in range(24)]

    def forward(self, x):
        running_sum(x)
        y = running_sum(x)
        if self.children:
            os.kill(self.children.pop(), signal.SIGKILL)
        return y
