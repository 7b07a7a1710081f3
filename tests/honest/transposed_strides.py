# task: linear
# expect: correct
# why: Returns a transposed view: the values count, the strides are its own.
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, inputs, outputs):
        super().__init__()
        self.linear = nn.Linear(inputs, outputs)

    def forward(self, x):
        return (self.linear.weight @ x.t() + self.linear.bias[:, None]).t()
