# task: fresh_norm
# expect: wrong(weights) | slower
# why: Scales and shifts as the batch norm does and leaves out its running statistics, which are
# why: zero and one until somebody trains the model: right under whatever seed.
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, channels):
        super().__init__()
        self.conv = nn.Conv2d(channels, channels, 3, padding=1)
        self.norm = nn.BatchNorm2d(channels)
        self.eval()

    def prepare(self):
        scale = self.norm.weight.detach() / (1 + self.norm.eps) ** 0.5
        self.conv.weight.data *= scale[:, None, None, None]
        self.conv.bias.data = self.conv.bias.data * scale + self.norm.bias.detach()

    def forward(self, x):
        return self.conv(x)
