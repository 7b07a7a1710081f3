# task: slow_loop
# expect: faster
# ratio_min: 2
# audited: slow
# why: Its outputs lie in memory that processes could share, each a view from the middle of a
# why: mapping of its own. Wherever an output lies, the judge reads it there.
import mmap

import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, x):
        memory = mmap.mmap(-1, 8192 + 4 * x.numel())
        y = torch.frombuffer(memory, dtype=torch.float32, count=x.numel(), offset=8192)
        return torch.cumsum(x, dim=1, out=y.view(x.shape))
