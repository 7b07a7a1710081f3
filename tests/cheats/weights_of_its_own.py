# task: linear
# expect: wrong(value)
# why: Seeds the generator itself, so that its weights become constants.
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, inputs, outputs):
        super().__init__()
        torch.manual_seed(0)
        layer = nn.Linear(inputs, outputs)
        self.matrix, self.offset = layer.weight.detach(), layer.bias.detach()

    def forward(self, x):
        return torch.nn.functional.linear(x, self.matrix, self.offset)
