# task: level2/25_Conv2d_Min_Tanh_Tanh
# device: cuda
# expect: correct
# why: cuDNN convolution, then channel minimum and both tanh in one Triton kernel reading a
# why: (channels x pixels) tile.
import torch
import torch.nn as nn
import triton
import triton.language as tl
from triton.language.extra import libdevice


@triton.jit
def min_tanh_kernel(x_ptr, out_ptr, HW, C: tl.constexpr, BLOCK: tl.constexpr):
    n = tl.program_id(1).to(tl.int64)
    p = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = p < HW
    c = tl.arange(0, C)
    x = tl.load(x_ptr + n * C * HW + c[:, None] * HW + p[None, :], mask=mask[None, :], other=0.0)
    m = tl.min(x, axis=0)
    m = libdevice.tanh(libdevice.tanh(m))
    tl.store(out_ptr + n * HW + p, m, mask=mask)


class ModelNew(nn.Module):
    def __init__(self, in_channels, out_channels, kernel_size):
        super().__init__()
        self.conv = nn.Conv2d(in_channels, out_channels, kernel_size)

    def forward(self, x):
        y = self.conv(x).contiguous()
        N, C, H, W = y.shape
        if C & (C - 1):
            return torch.tanh(torch.tanh(y.amin(dim=1, keepdim=True)))
        out = torch.empty((N, 1, H, W), device=y.device, dtype=y.dtype)
        BLOCK = 128
        min_tanh_kernel[(triton.cdiv(H * W, BLOCK), N)](y, out, H * W, C=C, BLOCK=BLOCK, num_warps=4)
        return out
