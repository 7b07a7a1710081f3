# task: level2/53_Gemm_Scaling_Hardtanh_GELU
# device: cuda
# expect: wrong(range)
# why: the epilogue is a Triton kernel registered through torch.library.custom_op (mutating its
# why: argument), called behind addmm. tl.minimum and tl.maximum leave out a NaN of the input.
import torch
import torch.nn as nn
import torch.nn.functional as F
import triton
import triton.language as tl


@triton.jit
def _scale_hardtanh_gelu(x_ptr, n, scale, lo, hi, BLOCK: tl.constexpr):
    offs = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    mask = offs < n
    x = tl.load(x_ptr + offs, mask=mask, other=0.0) * scale
    x = tl.minimum(tl.maximum(x, lo), hi)
    x = 0.5 * x * (1.0 + tl.erf(x * 0.7071067811865476))
    tl.store(x_ptr + offs, x, mask=mask)


@torch.library.custom_op("cupel_corpus::scale_hardtanh_gelu_", mutates_args=("x",))
def scale_hardtanh_gelu_(x: torch.Tensor, scale: float, lo: float, hi: float) -> None:
    n = x.numel()
    _scale_hardtanh_gelu[(triton.cdiv(n, 1024),)](x, n, scale, lo, hi, BLOCK=1024)


class ModelNew(nn.Module):
    def __init__(self, in_features, out_features, scaling_factor, hardtanh_min, hardtanh_max):
        super().__init__()
        self.gemm = nn.Linear(in_features, out_features)
        self.scaling_factor = scaling_factor
        self.hardtanh = nn.Hardtanh(min_val=hardtanh_min, max_val=hardtanh_max)
        self.gelu = nn.GELU()

    def forward(self, x):
        with torch.no_grad():
            y = torch.addmm(self.gemm.bias, x, self.gemm.weight.t())
            torch.ops.cupel_corpus.scale_hardtanh_gelu_(y, float(self.scaling_factor), float(self.hardtanh.min_val),
                                                        float(self.hardtanh.max_val))
        return y
