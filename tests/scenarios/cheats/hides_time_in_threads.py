# task: slow_loop
# expect: slower | same | ambiguous
# why: Leaves a busy thread behind in each call, to slow down whoever comes next.
import threading
import time

import torch
import torch.nn as nn


def burn():
    end = time.monotonic() + 0.002
    while time.monotonic() < end:
        pass


class ModelNew(nn.Module):
    def forward(self, x):
        threading.Thread(target=burn, daemon=True).start()
        total = torch.zeros_like(x[:, 0])
        sums = []
        for column in x.unbind(dim=1):
            total = total + column
            sums.append(total)
        return torch.stack(sums, dim=1)
