# task: slow_loop
# expect: correct
# why: Its output buffer is memory that processes could share, and it hands out a view from the
# why: middle of it. Wherever an output lies, the judge reads it there.
import mmap

import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.memory = mmap.mmap(-1, 1 << 20)

    def forward(self, x):
        y = torch.frombuffer(self.memory, dtype=torch.float32, count=x.numel(), offset=8192)
        return torch.cumsum(x, dim=1, out=y.view(x.shape))
