# task: two_outputs
# expect: wrong(structure)
# why: Returns the first of two outputs only.
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, x, y):
        return x * torch.sigmoid(y) + y
