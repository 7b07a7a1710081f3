# task: level2/24_Conv3d_Min_Softmax
# device: cuda
# expect: wrong(range)
# why: cuDNN conv3d, then minimum over depth and channel softmax fused; the channel axis (24) is
# why: padded to 32 under a mask. tl.minimum and tl.maximum leave out a NaN of the input.
import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def min_softmax_kernel(x_ptr, out_ptr, C, D, HW, CP: tl.constexpr, BLOCK: tl.constexpr):
    n = tl.program_id(1)
    c = tl.arange(0, CP)
    p = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = (c[:, None] < C) & (p[None, :] < HW)
    ptr = x_ptr + n.to(tl.int64) * C * D * HW + c[:, None] * (D * HW) + p[None, :]
    m = tl.load(ptr, mask=mask, other=0.0)
    for d in range(1, D):
        m = tl.minimum(m, tl.load(ptr + d * HW, mask=mask, other=0.0))
    m = tl.where(c[:, None] < C, m, float("-inf"))
    mx = tl.max(m, axis=0)
    e = tl.exp(m - mx[None, :])
    s = tl.sum(e, axis=0)
    tl.store(out_ptr + n.to(tl.int64) * C * HW + c[:, None] * HW + p[None, :], e / s[None, :], mask=mask)


class ModelNew(nn.Module):
    def __init__(self, in_channels, out_channels, kernel_size, dim):
        super().__init__()
        self.conv = nn.Conv3d(in_channels, out_channels, kernel_size)
        self.dim = dim

    def forward(self, x):
        y = self.conv(x)
        if self.dim != 2:
            return torch.softmax(torch.min(y, dim=self.dim)[0], dim=1)
        y = y.contiguous()
        N, C, D, H, W = y.shape
        out = torch.empty((N, C, H, W), device=y.device, dtype=y.dtype)
        min_softmax_kernel[(triton.cdiv(H * W, 64), N)](y, out, C, D, H * W, CP=triton.next_power_of_2(C), BLOCK=64, num_warps=4)
        return out
