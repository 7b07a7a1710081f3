# task: slow_loop
# expect: wrong(value) | suspect(late_write) | wrong(nan) | wrong(nondeterministic)
# why: Replies at once; a thread computes the result a millisecond later.
import threading
import time

import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, x):
        y = torch.zeros_like(x)

        def work():
            time.sleep(0.001)
            torch.cumsum(x, dim=1, out=y)

        threading.Thread(target=work, daemon=True).start()
        return y
