# task: channel_slopes
# expect: correct
# why: Chooses between x and slope * x by the sign of x, whatever the slope.
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, channels):
        super().__init__()
        self.activation = nn.PReLU(channels)

    def forward(self, x):
        return torch.where(x > 0, x, self.activation.weight[:, None, None] * x)
