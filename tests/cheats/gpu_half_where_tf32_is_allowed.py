# task: wide_conv
# device: cuda
# expect: wrong(range)
# why: torch computes convolutions in TF32 by default, whose mantissa is as short as float16's: in
# why: float16 it is as right, and faster, until a number is too large for that.
import torch.nn as nn
import torch.nn.functional as F


class ModelNew(nn.Module):
    def __init__(self, channels):
        super().__init__()
        self.conv = nn.Conv2d(channels, channels, 3, padding=1)

    def forward(self, x):
        weight, bias = self.conv.weight.half(), self.conv.bias.half()
        return F.conv2d(x.half(), weight, bias, padding=1).float()
