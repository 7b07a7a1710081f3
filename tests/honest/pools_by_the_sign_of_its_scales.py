# task: norm_pool
# expect: correct
# why: Takes the maximum before it scales, or the minimum where a scale is negative.
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, channels):
        super().__init__()
        self.norm = nn.BatchNorm2d(channels)
        self.pool = nn.MaxPool2d(2)
        self.eval()

    def prepare(self):
        norm = self.norm
        self.scale = norm.weight * torch.rsqrt(norm.running_var + norm.eps)
        self.shift = norm.bias - norm.running_mean * self.scale
        self.sign = torch.where(self.scale < 0, -1.0, 1.0)[:, None, None]
        self.scale = self.scale.abs()[:, None, None]
        self.shift = self.shift[:, None, None]

    def forward(self, x):
        return self.pool(x * self.sign) * self.scale + self.shift
