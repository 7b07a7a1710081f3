# task: slow_loop
# expect: wrong(value) | wrong(nan) | suspect(clock) | slower
# why: Returns an empty tensor and does its work as the host copies the outputs, off the clock.
import sys

import torch
import torch.nn as nn


def work(x):
    total = torch.zeros_like(x[:, 0])
    sums = []
    for column in x.unbind(dim=1):
        total = total + column
        sums.append(total)
    return torch.stack(sums, dim=1)


pending = []
host = sys.modules.get("cupel.host") or sys.modules["__main__"]
honest = host.Session._copy_out
host.Session._copy_out = lambda session, leaves, out: honest(
    session, [work(pending.pop())], out)


class ModelNew(nn.Module):
    def forward(self, x):
        pending.append(x)
        return torch.empty_like(x)
