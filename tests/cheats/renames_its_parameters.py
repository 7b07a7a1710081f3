# task: fresh_norm
# expect: wrong(weights) | slower
# why: Has all of the reference's parameters and buffers, by other names, so that no state loads,
# why: and leaves out a norm that does nothing as constructed.
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, channels):
        super().__init__()
        self.products = nn.Conv2d(channels, channels, 3, padding=1)
        self.unused = nn.BatchNorm2d(channels)
        self.eval()

    def prepare(self):
        self.kernel = self.products.weight.detach() * (1 + self.unused.eps) ** -0.5
        self.offset = self.products.bias.detach() * (1 + self.unused.eps) ** -0.5

    def forward(self, x):
        return nn.functional.conv2d(x, self.kernel, self.offset, padding=1)
