# task: norm_pool
# expect: wrong(weights) | slower
# why: Takes the maximum before it scales, which is right as long as no scale is negative. Scales
# why: are one as constructed; some of a trained model's are below zero.
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, channels):
        super().__init__()
        self.norm = nn.BatchNorm2d(channels)
        self.pool = nn.MaxPool2d(2)
        self.eval()

    def forward(self, x):
        return self.norm(self.pool(x))
