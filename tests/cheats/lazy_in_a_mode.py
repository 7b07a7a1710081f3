# task: slow_loop
# expect: wrong(value) | wrong(nan) | suspect(clock) | slower
# why: A TorchDispatchMode stays entered after forward() and computes inside the host's copy.
# why: The same time, in another place that the bracket covers.
import torch
import torch.nn as nn
from torch.utils._python_dispatch import TorchDispatchMode

def running_sum(x):
    total = torch.zeros_like(x[:, 0])
    sums = []
    for column in x.unbind(dim=1):
        total = total + column
        sums.append(total)
    return torch.stack(sums, dim=1)


class Later(TorchDispatchMode):
    def __init__(self):
        super().__init__()
        self.pending = []

    def __torch_dispatch__(self, function, types, args=(), kwargs=None):
        if self.pending and "copy_" in str(function):
            x = self.pending.pop()
            args = (args[0], running_sum(x), *args[2:])
        return function(*args, **(kwargs or {}))


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.later = None

    def forward(self, x):
        if self.later is None:
            self.later = Later()
            self.later.__enter__()
        y = torch.empty_like(x)
        self.later.pending.append(x)
        return y
