# task: linear
# expect: wrong(weights) | slower
# why: Packs its weights into integers of the range that their constructor draws from: exact to
# why: 2^-31 of that, and cut off beyond.
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, inputs, outputs):
        super().__init__()
        self.linear = nn.Linear(inputs, outputs)
        self.bound = inputs ** -0.5

    def prepare(self):
        self.packed = (self.linear.weight.double() / self.bound).clamp(-1, 1).mul(
            2.0 ** 31 - 1).round().to(torch.int32)
        self.weight = (self.packed.double() * (self.bound / (2.0 ** 31 - 1))).float()

    def forward(self, x):
        return torch.addmm(self.linear.bias, x, self.weight.t())
