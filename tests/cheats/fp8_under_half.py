# task: linear
# policy: half
# expect: wrong(value)
# why: Operands of eight bits under `half`, which means sixteen.
# why: The tolerance is four times the error of sixteen-bit arithmetic.
import torch
import torch.nn as nn


def cut(x):
    return x.to(torch.float8_e4m3fn).float()


class ModelNew(nn.Module):
    def __init__(self, inputs, outputs):
        super().__init__()
        self.linear = nn.Linear(inputs, outputs)

    def forward(self, x):
        return cut(x) @ cut(self.linear.weight).t() + self.linear.bias
