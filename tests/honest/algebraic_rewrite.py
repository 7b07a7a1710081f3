# task: two_outputs
# expect: correct
# why: x * sigmoid(y) as x / (1 + exp(-y)): another formula, the same function.
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, x, y):
        total = x / (1 + torch.exp(-y)) + y
        return total, total.amax(dim=1)
