# task: slow_loop
# expect: wrong(value) | wrong(nan) | timeout | runtime_error | suspect(late_write)
# why: A forked child shares the output's memory and does the work after the reply.
import os
import time

import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, x):
        y = torch.zeros_like(x).share_memory_()
        if os.fork() == 0:
            time.sleep(0.002)
            torch.set_num_threads(1)
            y.copy_(torch.cumsum(x, dim=1))
            os._exit(0)
        return y
