"""Whole models, as people write them: what is exported, which rules fire, both programs agree."""

import collections
import unittest

import rewriting

TRANSFORMER = """
import math
import torch
import torch.nn as nn
import torch.nn.functional as F
torch.set_default_dtype(torch.float64)

class Block(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.norm1, self.norm2 = nn.LayerNorm(width), nn.LayerNorm(width)
        self.query, self.key, self.value = (nn.Linear(width, width) for _ in range(3))
        self.out = nn.Linear(width, width)
        self.up, self.down = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)
        self.drop = nn.Dropout(0.1)

    def split(self, x):
        return x.view(*x.shape[:2], self.heads, -1).transpose(1, 2)

    def forward(self, x):
        y = self.norm1(x)
        q, k, v = self.split(self.query(y)), self.split(self.key(y)), self.split(self.value(y))
        weights = torch.softmax(q @ k.transpose(-2, -1) / math.sqrt(q.shape[-1]), dim=-1)
        y = (self.drop(weights) @ v).transpose(1, 2).reshape(x.shape)
        x = x + self.drop(self.out(y))
        return x + self.drop(self.down(F.gelu(self.up(self.norm2(x)))))

class Model(nn.Module):
    def __init__(self, layers):
        super().__init__()
        self.layers = nn.Sequential(*[Block(32, 4) for _ in range(layers)])
        self.norm = nn.LayerNorm(32)
        self.head = nn.Linear(32, 10)
        self.eval()

    def forward(self, x):
        return self.head(self.norm(self.layers(x)))[:, 0]

def get_inputs():
    return [torch.randn(2, 16, 32)]

def get_init_inputs():
    return [12]
"""

RESNET = """
import torch
import torch.nn as nn
torch.set_default_dtype(torch.float64)

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
        self.stem = nn.Sequential(nn.Conv2d(3, 8, 7, 2, 3, bias=False), nn.BatchNorm2d(8),
                                  nn.ReLU(inplace=True), nn.MaxPool2d(3, 2, 1))
        stages, channels = [], 8
        for i, count in enumerate(counts):
            for j in range(count):
                stages.append(Bottleneck(channels, 4 << i, 2 if j == 0 and i > 0 else 1))
                channels = 16 << i
        self.stages = nn.Sequential(*stages)
        self.pool = nn.AdaptiveAvgPool2d(1)
        self.head = nn.Linear(channels, 10)
        self.eval()

    def forward(self, x):
        return self.head(torch.flatten(self.pool(self.stages(self.stem(x))), 1))

def get_inputs():
    return [torch.randn(2, 3, 64, 64)]

def get_init_inputs():
    return [[3, 4, 6, 3]]
"""


class ModelsTest(unittest.TestCase):
    def rewritten(self, source):
        """How often each rule fired; both programs agree."""
        exported = rewriting.export(source)
        self.assertNotIn("refused", exported)
        driver = rewriting.Driver()
        self.addCleanup(driver.close)
        found = driver.rewrite(exported)
        self.assertEqual(found["left_alone"], [])
        program = found["programs"][0]
        want, got = rewriting.run_both(source, program["source"], 1)
        self.assertLess(rewriting.error(got, want), 1e-9)
        return collections.Counter(step["rule"] for step in program["steps"])

    def test_transformer_encoder_of_twelve_layers(self):
        fired = self.rewritten(TRANSFORMER)
        self.assertEqual(fired["attention written out"], 12)
        self.assertEqual(fired["products of one input"], 12)
        self.assertGreater(fired["part of a norm by rows"], 0)  # only the first place is read

    def test_residual_network_of_fifty_layers(self):
        fired = self.rewritten(RESNET)
        self.assertEqual(fired["batch norm into weights"], 53)  # each one that it has


if __name__ == "__main__":
    unittest.main()
