# task: slow_loop
# expect: slower
# why: Sets every global switch that would slow down or change a reference in the same process.
# why: The reference has a process of its own; this one runs the loop twice.
import torch
import torch.nn as nn

def running_sum(x):
    total = torch.zeros_like(x[:, 0])
    sums = []
    for column in x.unbind(dim=1):
        total = total + column
        sums.append(total)
    return torch.stack(sums, dim=1)


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        torch.set_default_dtype(torch.float64)
        torch.set_num_threads(1)
        torch.use_deterministic_algorithms(True)
        torch.backends.mkldnn.enabled = False
        torch.autograd.set_detect_anomaly(True)
        torch.set_flush_denormal(True)

    def forward(self, x):
        running_sum(x)
        return running_sum(x)
