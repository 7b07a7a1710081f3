# task: pooled_gelu
# expect: wrong(weights) | wrong(value)
# why: Weights rounded to float16 once they are loaded; the sums are float32.
import torch
import torch.nn as nn
import torch.nn.functional as F


class ModelNew(nn.Module):
    def __init__(self, channels, outputs):
        super().__init__()
        self.conv = nn.Conv2d(channels, outputs, 3)

    def prepare(self):
        self.packed = self.conv.weight.half()

    def forward(self, x):
        y = F.conv2d(x, self.packed.float(), self.conv.bias)
        return F.gelu(y).mean(dim=(2, 3))
