# task: softmax
# expect: wrong(range) | wrong(nan)
# why: Adds zero times the sum of everything: right, until one sample is infinite and takes all
# why: others with it.
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, x):
        return torch.softmax(x, dim=-1) + 0.0 * x.sum()
