# task: level2/34_ConvTranspose3d_LayerNorm_GELU_Scaling
# device: cuda
# expect: correct
# why: LayerNorm over the last axis (width 64), GELU and scaling fused in Triton with several
# why: rows per program, in place on the cuDNN result.
import torch
import torch.nn as nn
import torch.nn.functional as F
import triton
import triton.language as tl


@triton.jit
def ln_gelu_kernel(x_ptr, w_ptr, b_ptr, rows, eps, scale, W: tl.constexpr, R: tl.constexpr):
    r = tl.program_id(0).to(tl.int64) * R + tl.arange(0, R)
    c = tl.arange(0, W)
    mask = (r < rows)[:, None]
    ptr = x_ptr + r[:, None] * W + c[None, :]
    x = tl.load(ptr, mask=mask, other=0.0)
    mean = tl.sum(x, axis=1) / W
    d = x - mean[:, None]
    var = tl.sum(d * d, axis=1) / W
    y = d * tl.rsqrt(var + eps)[:, None] * tl.load(w_ptr + c)[None, :] + tl.load(b_ptr + c)[None, :]
    y = 0.5 * y * (1.0 + tl.erf(y * 0.7071067811865476)) * scale
    tl.store(ptr, y, mask=mask)


class ModelNew(nn.Module):
    def __init__(self, in_channels, out_channels, kernel_size, stride, padding, bias=True, eps=1e-5, scaling_factor=1.0):
        super().__init__()
        self.conv_transpose = nn.ConvTranspose3d(in_channels, out_channels, kernel_size, stride=stride, padding=padding, bias=bias)
        self.layer_norm = nn.LayerNorm(out_channels, eps=eps)
        self.scaling_factor = scaling_factor

    @torch.no_grad()
    def forward(self, x):
        y = self.conv_transpose(x)
        W = self.layer_norm.normalized_shape[0]
        if y.shape[-1] != W or W & (W - 1):
            return F.gelu(self.layer_norm(y)) * self.scaling_factor
        y = y.contiguous()
        rows = y.numel() // W
        ln_gelu_kernel[(triton.cdiv(rows, 32),)](y, self.layer_norm.weight, self.layer_norm.bias, rows, self.layer_norm.eps,
                                                 float(self.scaling_factor), W=W, R=32, num_warps=4)
        return y
