# task: two_outputs
# expect: correct
# why: A named tuple, where the task returns a plain one: all that reads places can read it.
import collections

import torch
import torch.nn as nn

Result = collections.namedtuple("Result", "total top")


class ModelNew(nn.Module):
    def forward(self, x, y):
        total = x * torch.sigmoid(y) + y
        return Result(total, total.amax(dim=1))
