# task: level3/43_MinGPTCausalAttention
# device: cuda
# expect: correct
# why: fp32 flash attention in Triton (ieee dots, online softmax, head size 96 padded to 128
# why: under a mask) straight from the fused qkv projection; dropouts are p=0.
import math
import torch
import torch.nn as nn
import torch.nn.functional as F
import triton
import triton.language as tl


@triton.jit
def causal_attn_kernel(qkv_ptr, o_ptr, T, C, scale, NH: tl.constexpr, HS: tl.constexpr, HP: tl.constexpr,
                       BM: tl.constexpr, BN: tl.constexpr):
    pid_m = tl.program_id(0)
    bh = tl.program_id(1)
    b = (bh // NH).to(tl.int64)
    h = bh % NH
    base = qkv_ptr + b * T * 3 * C + h * HS
    rm = pid_m * BM + tl.arange(0, BM)
    rd = tl.arange(0, HP)
    dmask = rd < HS
    q = tl.load(base + rm[:, None] * (3 * C) + rd[None, :], mask=(rm[:, None] < T) & dmask[None, :], other=0.0)
    q = q * scale
    m_i = tl.full((BM,), float("-inf"), dtype=tl.float32)
    l_i = tl.zeros((BM,), dtype=tl.float32)
    acc = tl.zeros((BM, HP), dtype=tl.float32)
    hi = min((pid_m + 1) * BM, T)
    for n0 in range(0, hi, BN):
        rn = n0 + tl.arange(0, BN)
        k = tl.load(base + C + rn[None, :] * (3 * C) + rd[:, None], mask=(rn[None, :] < T) & dmask[:, None], other=0.0)
        s = tl.dot(q, k, input_precision="ieee")
        s = tl.where((rn[None, :] <= rm[:, None]) & (rn[None, :] < T), s, float("-inf"))
        m_new = tl.maximum(m_i, tl.max(s, axis=1))
        p = tl.exp(s - m_new[:, None])
        alpha = tl.exp(m_i - m_new)
        l_i = l_i * alpha + tl.sum(p, axis=1)
        v = tl.load(base + 2 * C + rn[:, None] * (3 * C) + rd[None, :], mask=(rn[:, None] < T) & dmask[None, :], other=0.0)
        acc = acc * alpha[:, None] + tl.dot(p, v, input_precision="ieee")
        m_i = m_new
    acc = acc / l_i[:, None]
    tl.store(o_ptr + b * T * C + h * HS + rm[:, None] * C + rd[None, :], acc, mask=(rm[:, None] < T) & dmask[None, :])


class ModelNew(nn.Module):
    def __init__(self, n_embd, n_head, attn_pdrop, resid_pdrop, max_seqlen):
        super().__init__()
        assert n_embd % n_head == 0
        self.c_attn = nn.Linear(n_embd, 3 * n_embd)
        self.c_proj = nn.Linear(n_embd, n_embd)
        self.attn_dropout = nn.Dropout(attn_pdrop)
        self.resid_dropout = nn.Dropout(resid_pdrop)
        self.register_buffer("bias", torch.tril(torch.ones(max_seqlen, max_seqlen)).view(1, 1, max_seqlen, max_seqlen))
        self.n_head = n_head
        self.n_embd = n_embd

    def forward(self, x):
        B, T, C = x.shape
        qkv = F.linear(x, self.c_attn.weight, self.c_attn.bias)
        y = torch.empty_like(x)
        hs = C // self.n_head
        BM = 64
        grid = (triton.cdiv(T, BM), B * self.n_head)
        causal_attn_kernel[grid](qkv, y, T, C, 1.0 / math.sqrt(hs), NH=self.n_head, HS=hs,
                                 HP=triton.next_power_of_2(hs), BM=BM, BN=32, num_warps=8, num_stages=2)
        return self.resid_dropout(self.c_proj(y))
