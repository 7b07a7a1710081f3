# task: slow_loop
# expect: wrong(value) | wrong(nan) | suspect(late_write) | wrong(range)
# why: Hopes that a fresh allocation of the right size still holds the reference's result.
# why: The reference computes in other processes.
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, x):
        best = torch.empty_like(x)
        for _ in range(4):
            other = torch.empty_like(x)
            if other.abs().sum() > best.abs().sum():
                best = other
        return best
