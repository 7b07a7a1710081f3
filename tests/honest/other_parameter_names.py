# task: linear
# expect: correct
# why: Other names, same construction: equal weights under the same seed.
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, inputs, outputs):
        super().__init__()
        made = nn.Linear(inputs, outputs)
        self.matrix = nn.Parameter(made.weight.detach().t().contiguous())
        self.offset = nn.Parameter(made.bias.detach())

    def forward(self, x):
        return x @ self.matrix + self.offset
