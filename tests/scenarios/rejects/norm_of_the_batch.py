# task: served
# expect: wrong(value) | wrong(weights)
# why: Normalizes by the batch, as in training; the model is served, and has running statistics.
import torch
import torch.nn as nn
import torch.nn.functional as F


class ModelNew(nn.Module):
    def __init__(self, channels):
        super().__init__()
        self.conv = nn.Conv2d(channels, channels, 3, padding=1)
        self.norm = nn.BatchNorm2d(channels)

    def forward(self, x):
        x = self.conv(x)
        return torch.relu(F.batch_norm(x, None, None, self.norm.weight, self.norm.bias, True))
