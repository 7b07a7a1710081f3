# task: linear
# expect: correct
# audited: slow
# why: prepare() packs the weights once they are final.
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, inputs, outputs):
        super().__init__()
        self.linear = nn.Linear(inputs, outputs)

    def prepare(self):
        self.packed = self.linear.weight.detach().t().contiguous()

    def forward(self, x):
        return torch.addmm(self.linear.bias, x, self.packed)
