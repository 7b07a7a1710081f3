# task: hardtanh
# expect: correct
# why: Looks at the values first and copies where nothing is to be clipped: right on any input.
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, x):
        low, high = torch.aminmax(x)
        if low >= -1 and high <= 1:
            return x.clone()
        return x.clamp(-1, 1)
