# task: slow_loop
# expect: slower | invalid_reply
# why: Forbids others to read its memory, so that a judge without privileges finds no outputs in
# why: warm calls; the loop runs twice.
import ctypes

import torch
import torch.nn as nn


def running_sum(x):
    total = torch.zeros_like(x[:, 0])
    sums = []
    for column in x.unbind(dim=1):
        total = total + column
        sums.append(total)
    return torch.stack(sums, dim=1)


SET_DUMPABLE = 4
ctypes.CDLL(None).prctl(SET_DUMPABLE, 0, 0, 0, 0)


class ModelNew(nn.Module):
    def forward(self, x):
        running_sum(x)
        return running_sum(x)
