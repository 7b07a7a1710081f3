# task: level3/50_ReLUSelfAttention
# device: cuda
# expect: correct
# why: relu attention without materialising T x T scores; masked entries are relu(-inf) = 0, so
# why: no softmax state is needed; ieee fp32 dots.
import math
import torch
import torch.nn as nn
import torch.nn.functional as F
import triton
import triton.language as tl


class NewGELU(nn.Module):
    def forward(self, x):
        return 0.5 * x * (1.0 + torch.tanh(math.sqrt(2.0 / math.pi) * (x + 0.044715 * torch.pow(x, 3.0))))


@triton.jit
def relu_attn_fwd(qkv, out, T, C, scale, NH: tl.constexpr, D: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr):
    pid_m = tl.program_id(0)
    bh = tl.program_id(1)
    b = (bh // NH).to(tl.int64)
    h = bh % NH
    q_base = qkv + b * T * 3 * C + h * D
    k_base = q_base + C
    v_base = q_base + 2 * C
    offs_m = pid_m * BM + tl.arange(0, BM)
    offs_d = tl.arange(0, D)
    q = tl.load(q_base + offs_m[:, None] * 3 * C + offs_d[None, :], mask=offs_m[:, None] < T, other=0.0)
    acc = tl.zeros((BM, D), dtype=tl.float32)
    end = min((pid_m + 1) * BM, T)
    for start in range(0, end, BN):
        offs_n = start + tl.arange(0, BN)
        kT = tl.load(k_base + offs_n[None, :] * 3 * C + offs_d[:, None], mask=offs_n[None, :] < T, other=0.0)
        v = tl.load(v_base + offs_n[:, None] * 3 * C + offs_d[None, :], mask=offs_n[:, None] < T, other=0.0)
        s = tl.dot(q, kT, input_precision="ieee") * scale
        s = tl.where(offs_n[None, :] <= offs_m[:, None], tl.maximum(s, 0.0), 0.0)
        acc += tl.dot(s, v, input_precision="ieee")
    tl.store(out + b * T * C + h * D + offs_m[:, None] * C + offs_d[None, :], acc, mask=offs_m[:, None] < T)


class ModelNew(nn.Module):
    def __init__(self, n_embd, n_head, max_seqlen):
        super().__init__()
        assert n_embd % n_head == 0
        self.c_attn = nn.Linear(n_embd, 3 * n_embd)
        self.c_proj = nn.Linear(n_embd, n_embd)
        self.register_buffer("bias", torch.tril(torch.ones(max_seqlen, max_seqlen)).view(1, 1, max_seqlen, max_seqlen))
        self.n_head = n_head
        self.n_embd = n_embd

    def forward(self, x):
        B, T, C = x.size()
        qkv = self.c_attn(x)
        y = torch.empty((B, T, C), device=x.device, dtype=x.dtype)
        d = C // self.n_head
        BM, BN = 64, 32
        relu_attn_fwd[(triton.cdiv(T, BM), B * self.n_head)](
            qkv, y, T, C, 1.0 / math.sqrt(d), NH=self.n_head, D=d, BM=BM, BN=BN, num_warps=4, num_stages=2)
        return y
