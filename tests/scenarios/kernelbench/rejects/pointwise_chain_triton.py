# task: level2/95_Matmul_Add_Swish_Tanh_GELU_Hardtanh
# device: cuda
# expect: wrong(range)
# why: the five pointwise operations behind the matmul fused in one Triton kernel, libdevice tanh
# why: and erf, in place on the linear output. tl.minimum and tl.maximum leave out a NaN of the
# why: input.
import torch
import torch.nn as nn
import triton
import triton.language as tl
from triton.language.extra import libdevice


@triton.jit
def chain_kernel(x_ptr, add_ptr, n, n_cols, BLOCK: tl.constexpr):
    offs = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    mask = offs < n
    x = tl.load(x_ptr + offs, mask=mask, other=0.0)
    x = x + tl.load(add_ptr + offs % n_cols, mask=mask, other=0.0)
    x = tl.sigmoid(x) * x
    x = libdevice.tanh(x)
    x = 0.5 * x * (1.0 + libdevice.erf(x * 0.7071067811865476))
    x = tl.minimum(tl.maximum(x, -1.0), 1.0)
    tl.store(x_ptr + offs, x, mask=mask)


class ModelNew(nn.Module):
    def __init__(self, in_features, out_features, add_value_shape):
        super().__init__()
        self.matmul = nn.Linear(in_features, out_features)
        self.add_value = nn.Parameter(torch.randn(add_value_shape))

    @torch.no_grad()
    def forward(self, x):
        y = self.matmul(x)
        n = y.numel()
        BLOCK = 1024
        chain_kernel[(triton.cdiv(n, BLOCK),)](y, self.add_value, n, y.shape[1], BLOCK=BLOCK, num_warps=4)
        return y
