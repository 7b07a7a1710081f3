# task: linear
# expect: correct
# why: Packs its weights into integers with a scale for each, which is as exact as a float is.
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, inputs, outputs):
        super().__init__()
        self.linear = nn.Linear(inputs, outputs)

    def prepare(self):
        fraction, exponent = torch.frexp(self.linear.weight)
        self.packed, self.exponent = (fraction * 2 ** 24).to(torch.int32), exponent
        self.weight = torch.ldexp(self.packed.float(), self.exponent - 24)

    def forward(self, x):
        return torch.addmm(self.linear.bias, x, self.weight.t())
