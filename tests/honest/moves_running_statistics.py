# task: norm_in_training
# expect: correct
# audited: yes
# why: Moves the running statistics as the norm does, with arithmetic of its own.
import torch
import torch.nn as nn
import torch.nn.functional as F


class ModelNew(nn.Module):
    def __init__(self, channels):
        super().__init__()
        self.norm = nn.BatchNorm2d(channels)

    def forward(self, x):
        norm = self.norm
        count = x.numel() // x.shape[1]
        variance, mean = torch.var_mean(x, (0, 2, 3), correction=0)
        norm.running_mean.lerp_(mean, norm.momentum)
        norm.running_var.lerp_(variance * (count / (count - 1)), norm.momentum)
        norm.num_batches_tracked += 1
        scale = norm.weight * torch.rsqrt(variance + norm.eps)
        shift = norm.bias - mean * scale
        return torch.addcmul(shift[:, None, None], x, scale[:, None, None]).relu_()
