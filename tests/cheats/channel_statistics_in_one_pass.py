# task: channel_statistics
# expect: wrong(range) | wrong(value)
# why: Variances over the batch as the mean of squares less the square of the mean: digits are
# why: lost where a channel has an offset.
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, x):
        mean = x.mean((0, 2, 3), keepdim=True)
        squares = (x * x).mean((0, 2, 3), keepdim=True)
        variance = (squares - mean * mean).clamp_(min=0)
        scale = torch.rsqrt(variance + 1e-5)
        return x * scale - mean * scale, mean.flatten(), variance.flatten()
