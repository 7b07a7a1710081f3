# task: slow_loop
# expect: faster
# ratio_min: 4
# why: Writes a large scratch file from a thread of its own while it is constructed, and again in
# why: the first call; the calls after that find it done. Waiting for such a write is part of
# why: freezing.
import threading

import torch
import torch.nn as nn


def write_scratch():
    with open("/tmp/scratch", "wb") as file:
        file.write(bytes(96 << 20))


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.writer = threading.Thread(target=write_scratch)
        self.writer.start()
        self.calls = 0

    def forward(self, x):
        self.calls += 1
        if self.calls == 1:
            threading.Thread(target=write_scratch).start()
        return torch.cumsum(x, dim=1)
