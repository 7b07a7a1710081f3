# task: matmul
# device: cuda
# policy: half
# expect: wrong(value)
# why: Eight-bit operands on the tensor cores under `half`.
# why: `half` means sixteen bits.
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, size):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(size, size) / size**0.5)

    def forward(self, x):
        one = torch.ones((), device=x.device)
        left = x.to(torch.float8_e4m3fn)
        right = (self.weight * 64).t().contiguous().to(torch.float8_e4m3fn).t()
        product = torch._scaled_mm(left, right, one, one, out_dtype=torch.bfloat16)
        return product.float() / 64
