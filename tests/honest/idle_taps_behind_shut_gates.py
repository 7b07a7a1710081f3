# task: saturated
# expect: correct
# why: A tap of zero makes a NaN of one. The gates of a loud sample stay shut whatever finite number
# why: stands there, but are NaN where a NaN does: that sample is no clean one.
import torch
import torch.nn as nn
import torch.nn.functional as F


class ModelNew(nn.Module):
    def __init__(self, channels):
        super().__init__()
        self.conv = nn.Conv2d(channels, channels, 3, padding=1)

    def forward(self, x):
        taps = F.pad(self.conv.weight, (1, 1, 1, 1))
        return torch.sigmoid(F.conv2d(x, taps, self.conv.bias, padding=2).amin(1).mean(1))
