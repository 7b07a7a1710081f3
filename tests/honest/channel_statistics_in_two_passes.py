# task: channel_statistics
# expect: correct
# why: PyTorch's own statistics, and the norm in place.
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, x):
        variance, mean = torch.var_mean(x, (0, 2, 3), keepdim=True, unbiased=False)
        normed = (x - mean).mul_(torch.rsqrt(variance + 1e-5))
        return normed, mean.flatten(), variance.flatten()
