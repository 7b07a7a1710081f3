# task: linear
# policy: half
# expect: wrong(weights) | wrong(range) | slower
# why: Weights in eight bits with a scale a row, as accurate as bfloat16 while they are uniform
# why: noise. Trained ones have outliers, which set the scale for all others of their row.
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, inputs, outputs):
        super().__init__()
        self.linear = nn.Linear(inputs, outputs)

    def prepare(self):
        weight = self.linear.weight.detach()
        self.scale = weight.abs().amax(1, keepdim=True) / 127
        self.packed = torch.round(weight / self.scale).to(torch.int8)

    def forward(self, x):
        weight = (self.packed * self.scale).t()
        return torch.addmm(self.linear.bias, x, weight)
