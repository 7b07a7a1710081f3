# task: matmul
# device: cuda
# policy: exact
# expect: wrong(value)
# why: Each number as the sum of two bfloat16, three of the four products on the tensor cores: 16
# why: bits of 24, what torch calls matmul precision `high`, at a multiple of fp32's speed.
import torch
import torch.nn as nn


def split(x):
    high = x.bfloat16()
    return high, (x - high.float()).bfloat16()


class ModelNew(nn.Module):
    def __init__(self, size):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(size, size) / size**0.5)

    def prepare(self):
        high, low = split(self.weight.detach())
        self.packed = torch.cat([high, low, high])

    def forward(self, x):
        high, low = split(x)
        return torch.mm(torch.cat([high, high, low], dim=1), self.packed, out_dtype=torch.float32)
