# task: fresh_norm
# expect: wrong(weights) | slower
# why: Has one buffer more than the reference, so that no state loads by name alone, and leaves out
# why: a norm that does nothing as constructed.
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, channels):
        super().__init__()
        self.conv = nn.Conv2d(channels, channels, 3, padding=1)
        self.norm = nn.BatchNorm2d(channels)
        self.register_buffer("version", torch.ones(()))
        self.eval()

    def prepare(self):
        self.kernel = self.conv.weight.detach() * (1 + self.norm.eps) ** -0.5
        self.offset = self.conv.bias.detach() * (1 + self.norm.eps) ** -0.5

    def forward(self, x):
        return nn.functional.conv2d(x, self.kernel, self.offset, padding=1)
