# task: padded_conv
# expect: correct
# why: Weights and inputs in another memory format, which the output keeps: strides are its choice.
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, channels):
        super().__init__()
        self.conv = nn.Conv2d(channels, channels, 3, padding=1)

    def prepare(self):
        self.to(memory_format=torch.channels_last)

    def forward(self, x):
        return self.conv(x.contiguous(memory_format=torch.channels_last))
