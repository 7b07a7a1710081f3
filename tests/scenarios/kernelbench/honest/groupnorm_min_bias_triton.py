# task: level2/75_Gemm_GroupNorm_Min_BiasAdd
# device: cuda
# expect: correct
# why: GroupNorm and the row minimum fused in one Triton program per row, so the normalised
# why: matrix is never stored; the broadcast bias add gives (1, C, N, 1).
import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def gn_min_kernel(x_ptr, gamma_ptr, beta_ptr, min_ptr, eps, G: tl.constexpr, CPG: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, G)[:, None] * CPG + tl.arange(0, CPG)[None, :]
    x = tl.load(x_ptr + row * (G * CPG) + cols)
    mean = tl.sum(x, axis=1) / CPG
    d = x - mean[:, None]
    var = tl.sum(d * d, axis=1) / CPG
    y = d * (1.0 / tl.sqrt(var + eps))[:, None]
    y = y * tl.load(gamma_ptr + cols) + tl.load(beta_ptr + cols)
    lo = tl.min(tl.min(y, axis=1), axis=0)
    tl.store(min_ptr + row, lo)


@triton.jit
def bias_add_kernel(min_ptr, bias_ptr, out_ptr, N, BLOCK: tl.constexpr):
    c = tl.program_id(0)
    r = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    mask = r < N
    v = tl.load(min_ptr + r, mask=mask) + tl.load(bias_ptr + c)
    tl.store(out_ptr + c * N + r, v, mask=mask)


class ModelNew(nn.Module):
    def __init__(self, in_features, out_features, num_groups, bias_shape):
        super().__init__()
        self.gemm = nn.Linear(in_features, out_features)
        self.group_norm = nn.GroupNorm(num_groups, out_features)
        self.bias = nn.Parameter(torch.randn(bias_shape))

    def forward(self, x):
        y = self.gemm(x)
        N, C = y.shape
        G = self.group_norm.num_groups
        mins = torch.empty((N,), device=y.device, dtype=y.dtype)
        gn_min_kernel[(N,)](y, self.group_norm.weight, self.group_norm.bias, mins, self.group_norm.eps,
                            G=G, CPG=C // G, num_warps=8)
        out = torch.empty((1, C, N, 1), device=y.device, dtype=y.dtype)
        bias_add_kernel[(C, triton.cdiv(N, 1024))](mins, self.bias, out, N, BLOCK=1024)
        return out
