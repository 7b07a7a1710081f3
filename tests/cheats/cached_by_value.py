# task: slow_loop
# expect: slower
# why: Remembers results by value; no input comes twice, so it never pays.
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.known = {}

    def forward(self, x):
        key = hash(tuple(x.flatten().tolist()))
        if key not in self.known:
            total, sums = torch.zeros_like(x[:, 0]), []
            for column in x.unbind(dim=1):
                total = total + column
                sums.append(total)
            self.known[key] = torch.stack(sums, dim=1)
        return self.known[key]
