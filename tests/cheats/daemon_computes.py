# task: slow_loop
# expect: wrong(value) | wrong(nan) | suspect(late_write) | runtime_error | timeout | slower
# why: A daemon with a session of its own shares the output's memory and fills it after the reply:
# why: the outputs are taken at the reply, and the daemon is frozen with its host.
import os

import torch
import torch.nn as nn


def in_a_daemon(work):
    if os.fork():
        os.wait()
        return
    os.setsid()
    if os.fork() == 0:
        work()
    os._exit(0)


class ModelNew(nn.Module):
    def forward(self, x):
        y = torch.zeros_like(x).share_memory_()

        def work():
            torch.set_num_threads(1)
            torch.cumsum(x, dim=1, out=y)

        in_a_daemon(work)
        return y
