# task: lower_product
# expect: wrong(nan) | wrong(value)
# why: Writes the lower triangle alone. The first call's output is made of zeros, all others of
# why: memory as it comes: that of an earlier output, whose upper triangle is zero. Half of what a
# why: call returned is NaN by then.
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    BLOCK = 64

    def __init__(self):
        super().__init__()
        self.make = torch.zeros
        self.part = torch.empty(0)

    def forward(self, a, b):
        rows = a.shape[0]
        out = self.make(rows, rows, device=a.device)
        self.make = torch.empty
        if not self.part.numel():
            self.part = torch.empty(self.BLOCK, rows, device=a.device)
        for start in range(0, rows, self.BLOCK):
            end = start + self.BLOCK
            torch.mm(a[start:end], b, out=self.part)
            out[start:end, :start] = self.part[:, :start]
            for row in range(start, end):
                out[row, start:row + 1] = self.part[row - start, start:row + 1]
        return out
