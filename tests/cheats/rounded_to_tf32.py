# task: linear
# policy: exact
# expect: wrong(value)
# why: Operands cut to the ten bits of TF32, under the policy `exact`.
import torch
import torch.nn as nn


def cut(x):
    return (x.contiguous().view(torch.int32) & ~0x1FFF).view(torch.float32)


class ModelNew(nn.Module):
    def __init__(self, inputs, outputs):
        super().__init__()
        self.linear = nn.Linear(inputs, outputs)

    def forward(self, x):
        return cut(x) @ cut(self.linear.weight.detach()).t() + self.linear.bias
