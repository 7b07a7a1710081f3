# task: level2/99_Matmul_GELU_Softmax
# device: cuda
# expect: correct
# why: linear by cuBLAS, then exact GELU and a max-subtracted row softmax in one Triton program
# why: per row, in place.
import torch
import torch.nn as nn
import torch.nn.functional as F
import triton
import triton.language as tl


@triton.jit
def gelu_softmax_kernel(x_ptr, n_cols, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    offs = tl.arange(0, BLOCK)
    mask = offs < n_cols
    ptr = x_ptr + row * n_cols + offs
    x = tl.load(ptr, mask=mask, other=0.0)
    g = 0.5 * x * (1.0 + tl.erf(x * 0.7071067811865476))
    g = tl.where(mask, g, float("-inf"))
    m = tl.max(g, axis=0)
    e = tl.exp(g - m)
    s = tl.sum(e, axis=0)
    tl.store(ptr, e / s, mask=mask)


class ModelNew(nn.Module):
    def __init__(self, in_features, out_features):
        super().__init__()
        self.linear = nn.Linear(in_features, out_features)

    def forward(self, x):
        with torch.no_grad():
            y = F.linear(x, self.linear.weight, self.linear.bias)
            n_rows, n_cols = y.shape
            gelu_softmax_kernel[(n_rows,)](y, n_cols, BLOCK=triton.next_power_of_2(n_cols), num_warps=8)
        return y
