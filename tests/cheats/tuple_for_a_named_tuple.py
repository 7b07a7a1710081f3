# task: named_outputs
# expect: wrong(structure)
# why: A plain tuple, which has no `.total`, where the task returns a named one.
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, x, y):
        total = x * torch.sigmoid(y) + y
        return total, total.amax(dim=1)
