# task: slow_loop
# expect: suspect(late_write) | wrong(value) | wrong(nan) | wrong(nondeterministic) | wrong(range)
# why: A timer's signal arrives after forward() has returned; its handler computes the output.
# why: A signal handler is in time, and paid for, or too late.
import signal

import torch
import torch.nn as nn

pending = []


def work(number, frame):
    while pending:
        x, y = pending.pop()
        torch.cumsum(x, dim=1, out=y)


signal.signal(signal.SIGALRM, work)


class ModelNew(nn.Module):
    def forward(self, x):
        y = torch.zeros_like(x)
        pending.append((x, y))
        signal.setitimer(signal.ITIMER_REAL, 0.002)
        return y
