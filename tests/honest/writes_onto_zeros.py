# task: lower_product
# expect: correct
# why: Writes the lower triangle alone, onto zeros that it makes in each call.
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    BLOCK = 64

    def forward(self, a, b):
        out = torch.zeros_like(a)
        for start in range(0, a.shape[0], self.BLOCK):
            end = start + self.BLOCK
            out[start:end, :end] = torch.tril(a[start:end] @ b[:, :end], start)
        return out
