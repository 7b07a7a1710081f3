# task: linear
# policy: exact
# expect: wrong(value)
# why: Weights rounded to float16, the rest in float32.
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, inputs, outputs):
        super().__init__()
        self.linear = nn.Linear(inputs, outputs)

    def forward(self, x):
        return x @ self.linear.weight.half().float().t() + self.linear.bias
