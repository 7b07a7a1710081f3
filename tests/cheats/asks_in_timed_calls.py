# task: slow_loop
# expect: slower | runtime_error | build_error
# why: Asks the judge to build a kernel in every call, hoping that the clock stands still while it
# why: waits, and that a thread may compute meanwhile. The clock runs on and the host is frozen;
# why: the loop runs twice.
import threading

import torch
import torch.nn as nn

from cupel.inline import cpp_kernel

def running_sum(x):
    total = torch.zeros_like(x[:, 0])
    sums = []
    for column in x.unbind(dim=1):
        total = total + column
        sums.append(total)
    return torch.stack(sums, dim=1)


SOURCE = 'extern "C" void nothing() {}\n// '


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.calls = 0

    def forward(self, x):
        self.calls += 1
        worker = threading.Thread(target=running_sum, args=(x,))
        worker.start()
        cpp_kernel(SOURCE + str(self.calls % 7), "nothing")
        worker.join()
        return running_sum(x)
