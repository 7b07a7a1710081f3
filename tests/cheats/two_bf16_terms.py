# task: linear
# policy: exact
# expect: wrong(value)
# why: Each number as the sum of two bfloat16, and three of the four products: 16 bits of 24, what
# why: torch calls matmul precision `high`. Slow here, several times as fast as fp32 where there are
# why: units for bfloat16.
import torch
import torch.nn as nn


def split(x):
    high = x.bfloat16().float()
    return high, (x - high).bfloat16().float()


class ModelNew(nn.Module):
    def __init__(self, inputs, outputs):
        super().__init__()
        self.linear = nn.Linear(inputs, outputs)

    def prepare(self):
        high, low = split(self.linear.weight.detach().t())
        self.packed = torch.cat([high, low, high])

    def forward(self, x):
        high, low = split(x)
        return torch.addmm(self.linear.bias, torch.cat([high, high, low], dim=1), self.packed)
