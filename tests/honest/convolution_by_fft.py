# task: spiky_conv
# policy: exact
# expect: correct
# why: A convolution through FFT, under `exact`: on spikes its noise is that of the spikes.
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(4, 8, 5, bias=False)

    def forward(self, x):
        size = (36, 36)
        weight = self.conv.weight.flip(-1, -2)
        product = torch.fft.rfft2(x, s=size)[:, None] * torch.fft.rfft2(weight, s=size)[None]
        return torch.fft.irfft2(product.sum(2), s=size)[..., 4:32, 4:32].contiguous()
