# task: level2/22_Matmul_Scale_ResidualAdd_Clamp_LogSumExp_Mish
# device: cuda
# expect: wrong(range)
# why: scale, self-add, clamp, log-sum-exp and x * mish(x) in one Triton program per row;
# why: multiplying by 2*scale equals scale then x + x exactly. tl.minimum and tl.maximum leave
# why: out a NaN of the input.
import torch
import torch.nn as nn
import torch.nn.functional as F
import triton
import triton.language as tl
from triton.language.extra import libdevice


@triton.jit
def clamp_lse_mish(x_ptr, out_ptr, n_cols, scale, lo, hi, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    base = x_ptr + row.to(tl.int64) * n_cols
    m_acc = tl.full((BLOCK,), float("-inf"), tl.float32)
    s_acc = tl.zeros((BLOCK,), tl.float32)
    for start in range(0, n_cols, BLOCK):
        offs = start + tl.arange(0, BLOCK)
        mask = offs < n_cols
        x = tl.load(base + offs, mask=mask, other=0.0) * scale
        x = x + x
        x = tl.minimum(tl.maximum(x, lo), hi)
        x = tl.where(mask, x, float("-inf"))
        m_new = tl.maximum(m_acc, x)
        s_acc = tl.where(m_new == float("-inf"), 0.0, s_acc * tl.exp(m_acc - m_new) + tl.exp(x - m_new))
        m_acc = m_new
    m = tl.max(m_acc, axis=0)
    s = tl.sum(tl.where(m_acc == float("-inf"), 0.0, s_acc * tl.exp(m_acc - m)), axis=0)
    lse = m + tl.log(s)
    sp = tl.where(lse > 20.0, lse, libdevice.log1p(tl.exp(lse)))
    tl.store(out_ptr + row, lse * (lse * libdevice.tanh(sp)))


class ModelNew(nn.Module):
    def __init__(self, input_size, hidden_size, scale_factor, clamp_min, clamp_max):
        super().__init__()
        self.matmul = nn.Linear(input_size, hidden_size)
        self.scale_factor = scale_factor
        self.clamp_min = clamp_min
        self.clamp_max = clamp_max

    def forward(self, x):
        y = F.linear(x, self.matmul.weight, self.matmul.bias)
        out = torch.empty((y.shape[0], 1), device=y.device, dtype=y.dtype)
        clamp_lse_mish[(y.shape[0],)](y, out, y.shape[1], float(self.scale_factor), float(self.clamp_min),
                                      float(self.clamp_max), BLOCK=1024, num_warps=4)
        return out
