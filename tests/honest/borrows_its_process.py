# task: slow_loop
# expect: faster
# ratio_min: 4
# audited: yes
# why: Sets nearly everything that a process shares, and puts it back: precision, default dtype,
# why: threads, seed, environment, warnings, a handler, the smallest numbers.
import contextlib
import os
import signal
import warnings

import torch
import torch.nn as nn


@contextlib.contextmanager
def borrowed():
    precision, dtype = torch.get_float32_matmul_precision(), torch.get_default_dtype()
    handler = signal.signal(signal.SIGALRM, signal.SIG_IGN)
    os.environ["A_HINT_TO_A_LIBRARY"] = "1"
    torch.set_float32_matmul_precision("medium")
    torch.set_default_dtype(torch.float64)
    torch.set_flush_denormal(True)
    try:
        with warnings.catch_warnings(), torch.random.fork_rng(devices=[]):
            warnings.simplefilter("ignore")
            torch.manual_seed(7)
            yield
    finally:
        torch.set_flush_denormal(False)
        torch.set_default_dtype(dtype)
        torch.set_float32_matmul_precision(precision)
        del os.environ["A_HINT_TO_A_LIBRARY"]
        signal.signal(signal.SIGALRM, handler)


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        with borrowed():
            self.noise = torch.randn(4)

    def forward(self, x):
        return torch.cumsum(x, dim=1)
