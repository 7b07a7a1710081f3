# task: conv
# expect: correct
# why: Works in another memory format and returns its result in it.
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, channels):
        super().__init__()
        self.conv = nn.Conv2d(channels, channels, 3, padding=1)

    def prepare(self):
        self.to(memory_format=torch.channels_last)

    def forward(self, x):
        return torch.relu(self.conv(x.to(memory_format=torch.channels_last)))
