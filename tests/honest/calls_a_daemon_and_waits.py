# task: slow_loop
# expect: faster
# ratio_min: 2
# audited: slow
# why: A helper process does the work over shared memory, and is waited for.
import os

import torch
import torch.nn as nn


def work(x, y, ask, done):
    while os.read(ask, 1):
        torch.cumsum(x, dim=1, out=y)
        os.write(done, b".")
    os._exit(0)


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.x, self.y = (torch.zeros(64, 96).share_memory_() for _ in range(2))
        ask, self.ask = os.pipe()
        self.done, done = os.pipe()
        if os.fork() == 0:
            os.close(self.ask)
            torch.set_num_threads(1)
            work(self.x, self.y, ask, done)

    def forward(self, x):
        self.x.copy_(x)
        os.write(self.ask, b".")
        os.read(self.done, 1)
        return self.y.clone()
