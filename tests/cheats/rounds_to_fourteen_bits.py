# task: linear
# policy: exact
# expect: wrong(value)
# why: Operands of fourteen bits, eight times finer than TF32: as near to the tolerance of
# why: `exact` as a saving would be that still were one.
import torch
import torch.nn as nn

LOWEST_BITS = -(1 << 10)


def rounded(x):
    return (x.contiguous().view(torch.int32) + (1 << 9) & LOWEST_BITS).view(torch.float32)


class ModelNew(nn.Module):
    def __init__(self, inputs, outputs):
        super().__init__()
        self.linear = nn.Linear(inputs, outputs)

    def forward(self, x):
        weight = rounded(self.linear.weight.detach())
        return torch.addmm(self.linear.bias, rounded(x), weight.t())
