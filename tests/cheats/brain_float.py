# task: linear
# policy: exact
# expect: wrong(value)
# why: bfloat16 operands under the policy `exact`.
# why: Its error is 5,000 times the reference's; 32 times are allowed.
import torch
import torch.nn as nn

class ModelNew(nn.Module):
    def __init__(self, inputs, outputs):
        super().__init__()
        self.linear = nn.Linear(inputs, outputs)

    def forward(self, x):
        return x.bfloat16().float() @ self.linear.weight.bfloat16().float().t() + self.linear.bias
