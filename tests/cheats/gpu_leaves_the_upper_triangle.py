# task: large_lower_product
# device: cuda
# expect: wrong(nan)
# why: Writes blocks of the lower triangle into memory as it comes. Fresh memory of a GPU is often
# why: zero, and later calls get that of an earlier output. Half of what a call returned is NaN by
# why: then.
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    BLOCK = 512

    def forward(self, a, b):
        out = torch.empty_like(a)
        for start in range(0, a.shape[0], self.BLOCK):
            end = start + self.BLOCK
            out[start:end, :end] = torch.tril(a[start:end] @ b[:, :end], start)
        return out
