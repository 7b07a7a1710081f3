# task: padded_conv
# policy: exact
# expect: correct
# why: Through FFT the rounding of an outlier reaches all of its image, by no more than any norm
# why: tells; the class `extremes` has outliers of three hundred thousand spreads.
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, channels):
        super().__init__()
        self.conv = nn.Conv2d(channels, channels, 3, padding=1)

    def forward(self, x):
        size = (x.shape[2] + 2, x.shape[3] + 2)
        image = torch.fft.rfft2(nn.functional.pad(x, (1, 1, 1, 1)), s=size)[:, None]
        weight = torch.fft.rfft2(self.conv.weight.flip(-1, -2), s=size)[None]
        result = torch.fft.irfft2((image * weight).sum(2), s=size)
        return result.roll((-2, -2), (-2, -1))[..., :-2, :-2] + self.conv.bias[:, None, None]
