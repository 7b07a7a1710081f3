# task: channel_slopes
# expect: wrong(weights) | slower
# why: Takes the larger of x and slope * x, which is right as long as no slope is above one. They
# why: are a quarter as constructed, and training does not hold them there.
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, channels):
        super().__init__()
        self.activation = nn.PReLU(channels)

    def forward(self, x):
        return torch.maximum(x, self.activation.weight[:, None, None] * x)
