# task: level2/37_Matmul_Swish_Sum_GroupNorm
# device: cuda
# expect: correct
# why: swish, bias and GroupNorm of a whole row (groups x channels tile) in one Triton program
# why: after cuBLAS, biased variance by two passes in registers.
import torch
import torch.nn as nn
import torch.nn.functional as F
import triton
import triton.language as tl


@triton.jit
def swish_bias_gn_kernel(x_ptr, bias_ptr, gamma_ptr, beta_ptr, out_ptr, eps,
                         G: tl.constexpr, CPG: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    g = tl.arange(0, G)
    c = tl.arange(0, CPG)
    cols = g[:, None] * CPG + c[None, :]
    x = tl.load(x_ptr + row * (G * CPG) + cols)
    x = x * tl.sigmoid(x) + tl.load(bias_ptr + cols)
    mean = tl.sum(x, axis=1) / CPG
    d = x - mean[:, None]
    var = tl.sum(d * d, axis=1) / CPG
    rstd = 1.0 / tl.sqrt(var + eps)
    y = d * rstd[:, None] * tl.load(gamma_ptr + cols) + tl.load(beta_ptr + cols)
    tl.store(out_ptr + row * (G * CPG) + cols, y)


class ModelNew(nn.Module):
    def __init__(self, in_features, out_features, num_groups, bias_shape):
        super().__init__()
        self.matmul = nn.Linear(in_features, out_features)
        self.bias = nn.Parameter(torch.randn(bias_shape))
        self.group_norm = nn.GroupNorm(num_groups, out_features)

    def forward(self, x):
        y = F.linear(x, self.matmul.weight, self.matmul.bias).detach()
        G = self.group_norm.num_groups
        cpg = self.group_norm.num_channels // G
        swish_bias_gn_kernel[(y.shape[0],)](y, self.bias, self.group_norm.weight, self.group_norm.bias, y,
                                            self.group_norm.eps, G=G, CPG=cpg, num_warps=8)
        return y
