# task: two_outputs
# expect: correct
# why: A list where the reference returns a tuple: the same structure.
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, x, y):
        total = torch.addcmul(y, x, torch.sigmoid(y))
        return [total, total.amax(dim=1)]
