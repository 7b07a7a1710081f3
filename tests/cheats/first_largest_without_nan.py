# task: first_largest
# expect: wrong(range) | wrong(nan) | slower
# why: The place of the largest number, where PyTorch gives that of a NaN.
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, x):
        return torch.where(x.isnan(), -torch.inf, x).argmax(dim=1)
