# task: stream
# expect: impossible(below_floor) | suspect(clock) | ambiguous(clock_margin) | slower
# why: Claims 100 ns for a call that must move a quarter of a megabyte.
import torch
import torch.nn as nn
from cupel import host_clock


def claim(self, program, arguments):
    return program(*arguments), 100


host_clock.ProbeClock.time = host_clock.PythonClock.time = claim


class ModelNew(nn.Module):
    def forward(self, x):
        return torch.relu(x)
