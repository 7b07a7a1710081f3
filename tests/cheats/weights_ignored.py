# task: linear
# expect: wrong(weights) | slower
# why: Keeps the first instance's weights for every other one.
import torch
import torch.nn as nn

first = {}


class ModelNew(nn.Module):
    def __init__(self, inputs, outputs):
        super().__init__()
        self.linear = nn.Linear(inputs, outputs)

    def prepare(self):
        first.setdefault("weight", self.linear.weight.detach().clone())
        first.setdefault("bias", self.linear.bias.detach().clone())

    def forward(self, x):
        return torch.nn.functional.linear(x, first["weight"], first["bias"])
