# task: slow_loop
# expect: suspect(clock) | invalid_reply | runtime_error | slower
# why: torch.library replaces the CPU kernel of aten::copy_ by one that computes the output first.
# why: The same time, in another place that the bracket covers.
import torch
import torch.nn as nn

pending = {}
library = torch.library.Library("aten", "IMPL")


def copy_(self, source, non_blocking=False):
    x = pending.pop(source.data_ptr(), None)
    if x is not None:
        source = running_sum(x)
    torch.add(source, 0.0, out=self)
    return self


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        library.impl("copy_", copy_, "CPU", allow_override=True)

    def forward(self, x):
        y = torch.empty_like(x)
        pending[y.data_ptr()] = x
        return y


def running_sum(x):
    total = torch.zeros_like(x[:, 0])
    sums = []
    for column in x.unbind(dim=1):
        total = total + column
        sums.append(total)
    return torch.stack(sums, dim=1)
