# task: max_pool
# expect: wrong(range)
# why: Pads with zeros, from which its maximum starts: right as long as no window is negative
# why: throughout, and the task's own inputs never are.
import torch.nn as nn
import torch.nn.functional as F


class ModelNew(nn.Module):
    def __init__(self, window):
        super().__init__()
        self.window = window

    def forward(self, x):
        margin = self.window // 2
        return F.max_pool2d(F.pad(x, (margin, margin, margin, margin)), self.window, stride=1)
