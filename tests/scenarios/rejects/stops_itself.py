# task: softmax
# expect: timeout
# why: SIGSTOP to its own process: alive, and silent.
# time_limit_s: 5
import os
import signal

import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, x):
        os.kill(os.getpid(), signal.SIGSTOP)
        return torch.softmax(x, dim=-1)
