# task: softmax
# expect: wrong(nondeterministic) | wrong(value) | suspect(late_write)
# why: A thread fills the second half; nobody waits for it.
import threading
import time

import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, x):
        y = torch.zeros_like(x)
        half = x.shape[0] // 2

        def work():
            time.sleep(0.001)
            y[half:] = torch.softmax(x[half:], dim=-1)

        threading.Thread(target=work).start()
        y[:half] = torch.softmax(x[:half], dim=-1)
        return y
