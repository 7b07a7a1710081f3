# task: slow_loop
# expect: slower
# why: Stops the process outside the jail that waits for its end, by a signal to its process group,
# why: so that the judge waits for it. A host has a session of its own; the loop runs twice.
import os
import signal

import torch
import torch.nn as nn

def running_sum(x):
    total = torch.zeros_like(x[:, 0])
    sums = []
    for column in x.unbind(dim=1):
        total = total + column
        sums.append(total)
    return torch.stack(sums, dim=1)


signal.signal(signal.SIGTSTP, signal.SIG_IGN)
os.kill(0, signal.SIGTSTP)


class ModelNew(nn.Module):
    def forward(self, x):
        running_sum(x)
        return running_sum(x)
