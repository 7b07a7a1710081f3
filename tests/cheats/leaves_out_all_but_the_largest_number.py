# task: few_numbers
# expect: wrong(value)
# why: Of six numbers it computes the one that is a million times larger than the others.
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, x):
        y = torch.zeros(6)
        y[0] = x.pow(4).sum()
        return y
