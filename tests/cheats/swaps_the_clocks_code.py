# task: slow_loop
# expect: suspect(clock) | slower
# why: The stopwatch keeps its identity; only the __code__ of its method is another.
# why: It claims a tenth of the time, which the judge's own clock does not confirm: the loop runs
# why: twice.
import torch
import torch.nn as nn
from cupel import host_clock


def slow_motion(self, program, arguments):
    start = self.now_ns()
    result = program(*arguments)
    return result, (self.now_ns() - start) // 10


for clock in (host_clock.ProbeClock, host_clock.PythonClock):
    clock.time.__code__ = slow_motion.__code__


class ModelNew(nn.Module):
    def forward(self, x):
        for _ in range(2):
            total = torch.zeros_like(x[:, 0])
            sums = []
            for column in x.unbind(dim=1):
                total = total + column
                sums.append(total)
        return torch.stack(sums, dim=1)
