# task: first_largest
# expect: correct
# why: Finds the first of equals by another way than torch.max(); NaN is the largest there as well.
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, x):
        largest = x.amax(dim=1, keepdim=True)
        return ((x == largest) | x.isnan()).int().argmax(dim=1)
