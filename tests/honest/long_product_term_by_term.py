# task: long_product
# policy: exact
# expect: correct
# why: Adds up one term after the other, as plain loops do, in float32.
import torch
import torch.nn as nn

TERMS = 4096


class ModelNew(nn.Module):
    def __init__(self, outputs):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(TERMS, outputs) / TERMS**0.5)

    def forward(self, x):
        total = torch.zeros(x.shape[0], self.weight.shape[1])
        for at in range(TERMS):
            total.addr_(x[:, at], self.weight[at])
        return total
