# task: pooled_gelu
# expect: wrong(value)
# why: A convolution in bfloat16 before a mean, which evens out what it is off by.
import torch
import torch.nn as nn
import torch.nn.functional as F


class ModelNew(nn.Module):
    def __init__(self, channels, outputs):
        super().__init__()
        self.conv = nn.Conv2d(channels, outputs, 3)

    def forward(self, x):
        y = F.conv2d(x.bfloat16(), self.conv.weight.bfloat16(), self.conv.bias.bfloat16())
        return F.gelu(y.float()).mean(dim=(2, 3))
