# task: linear
# expect: correct
# audited: slow
# why: Remembers packed weights by the parameter's version and pointer: a cache of what it owns.
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, inputs, outputs):
        super().__init__()
        self.linear = nn.Linear(inputs, outputs)
        self.key = None

    def forward(self, x):
        weight = self.linear.weight
        if self.key != (weight.data_ptr(), weight._version):
            self.key = (weight.data_ptr(), weight._version)
            self.packed = weight.detach().t().contiguous()
        return torch.addmm(self.linear.bias, x, self.packed)
