# task: linear
# expect: wrong(value)
# why: bfloat16 arithmetic, where the contract is float32.
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, inputs, outputs):
        super().__init__()
        self.linear = nn.Linear(inputs, outputs)

    def forward(self, x):
        return torch.nn.functional.linear(
            x.bfloat16(), self.linear.weight.bfloat16(), self.linear.bias.bfloat16()).float()
