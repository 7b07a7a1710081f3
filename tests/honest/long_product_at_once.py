# task: long_product
# policy: exact
# expect: correct
# why: Adds up in another order than the reference, in float32.
import torch
import torch.nn as nn

TERMS = 4096


class ModelNew(nn.Module):
    def __init__(self, outputs):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(TERMS, outputs) / TERMS**0.5)

    def forward(self, x):
        return x @ self.weight
