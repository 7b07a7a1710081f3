# task: conv_norm
# expect: faster
# ratio_min: 1.1
# why: Folds the batch norm into the convolution's weights in prepare(), when they are final.
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, channels):
        super().__init__()
        self.conv = nn.Conv2d(channels, channels, 3, padding=1)
        self.norm = nn.BatchNorm2d(channels)
        nn.init.normal_(self.norm.running_mean, std=0.5)
        nn.init.uniform_(self.norm.running_var, 0.5, 2.0)
        self.eval()

    def prepare(self):
        norm = self.norm
        scale = norm.weight * torch.rsqrt(norm.running_var + norm.eps)
        self.kernel = self.conv.weight * scale.view(-1, 1, 1, 1)
        self.bias = (self.conv.bias - norm.running_mean) * scale + norm.bias

    def forward(self, x):
        return torch.conv2d(x, self.kernel, self.bias, padding=1)
