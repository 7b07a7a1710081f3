# task: linear
# policy: half
# expect: wrong(value)
# why: Operands rounded to 4 bits: too little even for the policy `half`.
import torch
import torch.nn as nn


def rounded(x):
    scale = x.abs().amax() / 7
    return torch.round(x / scale) * scale


class ModelNew(nn.Module):
    def __init__(self, inputs, outputs):
        super().__init__()
        self.linear = nn.Linear(inputs, outputs)

    def forward(self, x):
        return rounded(x) @ rounded(self.linear.weight).t() + self.linear.bias
