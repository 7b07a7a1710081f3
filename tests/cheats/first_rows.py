# task: linear
# expect: wrong(value)
# why: Computes four rows and repeats them.
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, inputs, outputs):
        super().__init__()
        self.linear = nn.Linear(inputs, outputs)

    def forward(self, x):
        return self.linear(x[:4]).repeat(x.shape[0] // 4, 1)
