# task: level2/45_Gemm_Sigmoid_LogSumExp
# device: cuda
# expect: correct
# why: in-place Triton sigmoid between two cuBLAS matmuls and a max-subtracted log-sum-exp of
# why: each row.
import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def sigmoid_kernel(x_ptr, n, BLOCK: tl.constexpr):
    offs = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    mask = offs < n
    x = tl.load(x_ptr + offs, mask=mask, other=0.0)
    tl.store(x_ptr + offs, 1.0 / (1.0 + tl.exp(-x)), mask=mask)


@triton.jit
def lse_kernel(x_ptr, out_ptr, n_cols, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    offs = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + row.to(tl.int64) * n_cols + offs, mask=offs < n_cols, other=float("-inf"))
    m = tl.max(x, axis=0)
    s = tl.sum(tl.exp(x - m), axis=0)
    tl.store(out_ptr + row, m + tl.log(s))


class ModelNew(nn.Module):
    def __init__(self, input_size, hidden_size, output_size):
        super().__init__()
        self.linear1 = nn.Linear(input_size, hidden_size)
        self.linear2 = nn.Linear(hidden_size, output_size)

    @torch.no_grad()
    def forward(self, x):
        h = self.linear1(x)
        n = h.numel()
        sigmoid_kernel[(triton.cdiv(n, 2048),)](h, n, BLOCK=2048, num_warps=8)
        z = self.linear2(h)
        out = torch.empty(z.shape[0], device=z.device, dtype=z.dtype)
        lse_kernel[(z.shape[0],)](z, out, z.shape[1], BLOCK=triton.next_power_of_2(z.shape[1]), num_warps=4)
        return out
