# task: avg_pool
# expect: correct
# why: Average pooling as a convolution with a constant kernel, one channel a group.
import torch
import torch.nn as nn
import torch.nn.functional as F


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.kernel = torch.full((16, 1, 4, 4), 1 / 16)

    def forward(self, x):
        return F.conv2d(x, self.kernel, stride=4, groups=16)
