"""A residual network of fifty layers with bottlenecks, on small images."""

import torch
import torch.nn as nn


class Bottleneck(nn.Module):
    def __init__(self, channels, inner, stride):
        super().__init__()
        self.a, self.norm_a = nn.Conv2d(channels, inner, 1, bias=False), nn.BatchNorm2d(inner)
        self.b = nn.Conv2d(inner, inner, 3, stride, 1, bias=False)
        self.norm_b = nn.BatchNorm2d(inner)
        self.c, self.norm_c = nn.Conv2d(inner, 4 * inner, 1, bias=False), nn.BatchNorm2d(4 * inner)
        self.relu = nn.ReLU(inplace=True)
        self.shortcut = None
        if stride != 1 or channels != 4 * inner:
            self.shortcut = nn.Sequential(nn.Conv2d(channels, 4 * inner, 1, stride, bias=False),
                                          nn.BatchNorm2d(4 * inner))

    def forward(self, x):
        y = self.relu(self.norm_a(self.a(x)))
        y = self.relu(self.norm_b(self.b(y)))
        y = self.norm_c(self.c(y))
        y += x if self.shortcut is None else self.shortcut(x)
        return self.relu(y)


class Model(nn.Module):
    def __init__(self, counts):
        super().__init__()
        self.stem = nn.Sequential(nn.Conv2d(3, 16, 7, 2, 3, bias=False), nn.BatchNorm2d(16),
                                  nn.ReLU(inplace=True), nn.MaxPool2d(3, 2, 1))
        stages, channels = [], 16
        for i, count in enumerate(counts):
            for j in range(count):
                stages.append(Bottleneck(channels, 8 << i, 2 if j == 0 and i > 0 else 1))
                channels = 32 << i
        self.stages = nn.Sequential(*stages)
        self.pool = nn.AdaptiveAvgPool2d(1)
        self.head = nn.Linear(channels, 10)

    def forward(self, x):
        return self.head(torch.flatten(self.pool(self.stages(self.stem(x))), 1))


counts = [3, 4, 6, 3]
batch, size = 2, 64


def get_inputs():
    return [torch.randn(batch, 3, size, size)]


def get_init_inputs():
    return [counts]
