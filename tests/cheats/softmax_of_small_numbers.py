# task: plain_softmax
# expect: wrong(range) | wrong(nan)
# why: Has no answer above 40, under a reference that has none above 709.
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, x):
        largest = x.amax(dim=1, keepdim=True)
        return torch.softmax(x, dim=1).masked_fill(largest > 40, float("nan"))
