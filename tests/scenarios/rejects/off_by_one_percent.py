# task: linear
# expect: wrong(value)
# why: A factor of 1.01: within every loose tolerance.
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, inputs, outputs):
        super().__init__()
        self.linear = nn.Linear(inputs, outputs)

    def forward(self, x):
        return self.linear(x) * 1.01
