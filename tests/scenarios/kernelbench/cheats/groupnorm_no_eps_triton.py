# task: level2/88_Gemm_GroupNorm_Swish_Multiply_Swish
# device: cuda
# expect: wrong | suspect | impossible | ambiguous | slower
# why: GroupNorm without eps; on the test inputs the variance is about 0.1, so the error is some
# why: 5e-5, but small-variance groups blow up.
import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def gn_swish_kernel(x_ptr, gamma_ptr, beta_ptr, mul_ptr, G: tl.constexpr, CPG: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    cols = tl.arange(0, G)[:, None] * CPG + tl.arange(0, CPG)[None, :]
    ptr = x_ptr + row * (G * CPG) + cols
    x = tl.load(ptr)
    mean = tl.sum(x, axis=1) / CPG
    d = x - mean[:, None]
    rstd = tl.rsqrt(tl.sum(d * d, axis=1) / CPG)
    y = d * rstd[:, None] * tl.load(gamma_ptr + cols) + tl.load(beta_ptr + cols)
    y = y * tl.sigmoid(y)
    y = y * tl.load(mul_ptr + cols)
    y = y * tl.sigmoid(y)
    tl.store(ptr, y)


class ModelNew(nn.Module):
    def __init__(self, in_features, out_features, num_groups, multiply_weight_shape):
        super().__init__()
        self.gemm = nn.Linear(in_features, out_features)
        self.group_norm = nn.GroupNorm(num_groups, out_features)
        self.multiply_weight = nn.Parameter(torch.randn(multiply_weight_shape))

    @torch.no_grad()
    def forward(self, x):
        y = self.gemm(x)
        G = self.group_norm.num_groups
        gn_swish_kernel[(y.shape[0],)](y, self.group_norm.weight, self.group_norm.bias, self.multiply_weight,
                                       G=G, CPG=y.shape[1] // G, num_warps=8)
        return y
