# task: conv_norm
# expect: wrong(module_state) | wrong(process_state) | slower
# audited: yes
# why: Its outputs come from a copy of the running statistics; those that the module shows, and a
# why: checkpoint keeps, are ruined by every call.
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, channels):
        super().__init__()
        self.conv = nn.Conv2d(channels, channels, 3, padding=1)
        self.norm = nn.BatchNorm2d(channels)
        nn.init.normal_(self.norm.running_mean, std=0.5)
        nn.init.uniform_(self.norm.running_var, 0.5, 2.0)
        self.eval()

    def prepare(self):
        norm = self.norm
        scale = norm.weight * torch.rsqrt(norm.running_var + norm.eps)
        self.weight = self.conv.weight * scale[:, None, None, None]
        self.bias = (self.conv.bias - norm.running_mean) * scale + norm.bias

    def forward(self, x):
        self.norm.running_mean.fill_(1e9)
        return torch.conv2d(x, self.weight, self.bias, padding=1)
