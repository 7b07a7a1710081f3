# task: fresh_norm
# expect: correct
# why: Other names, the same construction: what is equal is given the same trained weights, and
# why: folded once it is there.
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, channels):
        super().__init__()
        self.products = nn.Conv2d(channels, channels, 3, padding=1)
        self.statistics = nn.BatchNorm2d(channels)
        self.eval()

    def prepare(self):
        norm = self.statistics
        scale = norm.weight.detach() * torch.rsqrt(norm.running_var + norm.eps)
        self.kernel = self.products.weight.detach() * scale[:, None, None, None]
        shifted = (self.products.bias.detach() - norm.running_mean) * scale
        self.offset = shifted + norm.bias.detach()

    def forward(self, x):
        return nn.functional.conv2d(x, self.kernel, self.offset, padding=1)
