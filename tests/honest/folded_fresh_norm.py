# task: fresh_norm
# expect: correct
# why: The same folding, with the statistics: of the weights that are loaded, whatever they are.
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, channels):
        super().__init__()
        self.conv = nn.Conv2d(channels, channels, 3, padding=1)
        self.norm = nn.BatchNorm2d(channels)
        self.eval()

    def prepare(self):
        norm = self.norm
        scale = norm.weight.detach() * torch.rsqrt(norm.running_var + norm.eps)
        self.conv.weight.data *= scale[:, None, None, None]
        shifted = (self.conv.bias.data - norm.running_mean) * scale
        self.conv.bias.data = shifted + norm.bias.detach()

    def forward(self, x):
        return self.conv(x)
