# task: two_outputs
# expect: wrong(structure) | wrong(type)
# why: A Python list of numbers in place of the second tensor.
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, x, y):
        total = x * torch.sigmoid(y) + y
        return total, total.amax(dim=1).tolist()
