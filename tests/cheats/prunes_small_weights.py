# task: linear
# expect: wrong(value)
# why: Leaves out the one weight in a hundred that is nearest to zero.
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, inputs, outputs):
        super().__init__()
        self.linear = nn.Linear(inputs, outputs)

    def forward(self, x):
        weight = self.linear.weight.detach()
        least = weight.abs().flatten().kthvalue(max(1, weight.numel() // 100)).values
        return torch.addmm(self.linear.bias, x, torch.where(weight.abs() > least, weight, 0).t())
