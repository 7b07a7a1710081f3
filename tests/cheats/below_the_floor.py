# task: stream
# expect: impossible(below_floor) | suspect(clock) | slower
# why: Claims 100 ns for a call that must move a quarter of a megabyte.
import itertools
import sys

import torch
import torch.nn as nn

host = sys.modules.get("cupel.host") or sys.modules["__main__"]
ticks = itertools.count(0, 100)
host.perf_counter_ns = lambda: next(ticks)  # the host's clock around a warm call


class ModelNew(nn.Module):
    def forward(self, x):
        return torch.relu(x)
