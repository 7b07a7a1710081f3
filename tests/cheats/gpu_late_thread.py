# task: softmax_rows
# device: cuda
# expect: suspect(late_write) | wrong(value) | wrong(nan) | wrong(nondeterministic) | wrong(range)
# why: A thread launches the work a millisecond after forward() has returned.
# why: Outputs are taken at the reply.
import torch
import torch.nn as nn
import threading
import time


class ModelNew(nn.Module):
    def __init__(self, temperature):
        super().__init__()
        self.temperature = temperature

    def forward(self, x):
        y = torch.zeros_like(x)

        def work():
            time.sleep(0.001)
            y.copy_(torch.softmax(x / self.temperature, dim=1))

        threading.Thread(target=work, daemon=True).start()
        return y
