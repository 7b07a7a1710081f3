# task: hardtanh
# expect: wrong(value) | wrong(nan) | wrong(nondeterministic)
# why: The last row is never written.
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, x):
        y = torch.empty_like(x)
        y[:-1] = x[:-1].clamp(-1, 1)
        return y
