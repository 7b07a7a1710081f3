# task: linear
# policy: half
# expect: correct
# why: bfloat16 inside, float32 outside: what the policy `half` allows.
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, inputs, outputs):
        super().__init__()
        self.linear = nn.Linear(inputs, outputs)

    def forward(self, x):
        weight, bias = self.linear.weight.bfloat16(), self.linear.bias.bfloat16()
        return torch.nn.functional.linear(x.bfloat16(), weight, bias).float()
