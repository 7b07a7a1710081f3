# task: hardtanh
# expect: correct
# why: Copies its input where nothing is to be clipped.
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, x):
        low, high = torch.aminmax(x)
        return x.clone() if low >= -1 and high <= 1 else x.clamp(-1, 1)
