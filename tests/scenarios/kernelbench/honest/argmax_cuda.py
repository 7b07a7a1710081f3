# task: level1/51_Argmax_over_a_dimension
# device: cuda
# expect: correct
# why: one thread per output column with coalesced reads over dim 1; first maximum wins on ties
# why: and NaN counts as maximal, as in torch.
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

cuda_src = r'''
#include <torch/extension.h>
#include <ATen/cuda/CUDAContext.h>

__global__ void argmax_mid(const float* __restrict__ x, long* __restrict__ out, int R, int C) {
    int c = blockIdx.x * blockDim.x + threadIdx.x;
    if (c >= C) return;
    const float* p = x + (size_t)blockIdx.y * R * C + c;
    float best = p[0];
    int bi = 0;
    int r = 1;
    for (; r + 8 <= R; r += 8) {
        float v[8];
        #pragma unroll
        for (int u = 0; u < 8; ++u) v[u] = p[(size_t)(r + u) * C];
        #pragma unroll
        for (int u = 0; u < 8; ++u) {
            if (v[u] > best || (isnan(v[u]) && !isnan(best))) { best = v[u]; bi = r + u; }
        }
    }
    for (; r < R; ++r) {
        float v = p[(size_t)r * C];
        if (v > best || (isnan(v) && !isnan(best))) { best = v; bi = r; }
    }
    out[(size_t)blockIdx.y * C + c] = bi;
}

// host
torch::Tensor argmax_dim1(torch::Tensor x) {
    x = x.contiguous();
    int B = x.size(0), R = x.size(1), C = x.size(2);
    auto out = torch::empty({B, C}, x.options().dtype(torch::kInt64));
    dim3 grid((C + 127) / 128, B);
    argmax_mid<<<grid, 128, 0, at::cuda::getCurrentCUDAStream()>>>(
        x.data_ptr<float>(), reinterpret_cast<long*>(out.data_ptr<int64_t>()), R, C);
    return out;
}
'''

ext = load_inline(name="kernelbench_argmax_mid", cpp_sources="torch::Tensor argmax_dim1(torch::Tensor x);",
                  cuda_sources=cuda_src, functions=["argmax_dim1"], extra_cuda_cflags=["-O3"])


class ModelNew(nn.Module):
    def __init__(self, dim: int):
        super().__init__()
        self.dim = dim

    def forward(self, x):
        if self.dim == 1 and x.dim() == 3:
            return ext.argmax_dim1(x)
        return torch.argmax(x, dim=self.dim)
