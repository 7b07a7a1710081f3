# task: conv
# expect: correct
# why: Unfolds patches and multiplies matrices: what a convolution is.
import torch
import torch.nn as nn
import torch.nn.functional as F


class ModelNew(nn.Module):
    def __init__(self, channels):
        super().__init__()
        self.conv = nn.Conv2d(channels, channels, 3, padding=1)

    def forward(self, x):
        patches = F.unfold(x, 3, padding=1)
        y = self.conv.weight.flatten(1) @ patches + self.conv.bias.view(-1, 1)
        return torch.relu(y).view_as(x)
