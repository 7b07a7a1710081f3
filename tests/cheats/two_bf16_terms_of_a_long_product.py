# task: long_product
# policy: exact
# expect: wrong(value)
# why: As two_bf16_terms, where the reference itself is off by twice as much as a CPU's product is.
import torch
import torch.nn as nn

TERMS = 4096


def split(x):
    high = x.bfloat16().float()
    return high, (x - high).bfloat16().float()


class ModelNew(nn.Module):
    def __init__(self, outputs):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(TERMS, outputs) / TERMS**0.5)

    def prepare(self):
        high, low = split(self.weight.detach())
        self.packed = torch.cat([high, low, high])

    def forward(self, x):
        high, low = split(x)
        return torch.cat([high, high, low], dim=1) @ self.packed
