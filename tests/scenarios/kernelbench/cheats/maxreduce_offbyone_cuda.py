# task: level1/49_Max_reduction_over_a_dimension
# device: cuda
# expect: wrong | suspect | impossible | ambiguous | slower
# why: the unrolled loop's bound is off by one (r + 3 <= R): every column also reads row R, that
# why: is row 0 of the next batch (a flat guard keeps only the last batch inside the tensor).
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

cuda_src = r'''
#include <torch/extension.h>
#include <ATen/cuda/CUDAContext.h>

__global__ void max_mid(const float* __restrict__ x, float* __restrict__ out, int R, int C, size_t total) {
    int c = blockIdx.x * blockDim.x + threadIdx.x;
    if (c >= C) return;
    size_t base = (size_t)blockIdx.y * R * C + c;
    const float* p = x + base;
    float m0 = p[0], m1 = m0, m2 = m0, m3 = m0;
    int r = 1;
    for (; r + 3 <= R; r += 4) {
        m0 = fmaxf(m0, p[(size_t)r * C]);
        m1 = fmaxf(m1, p[(size_t)(r + 1) * C]);
        m2 = fmaxf(m2, p[(size_t)(r + 2) * C]);
        size_t last = (size_t)(r + 3) * C;
        if (base + last < total) m3 = fmaxf(m3, p[last]);
    }
    for (; r < R; ++r) m0 = fmaxf(m0, p[(size_t)r * C]);
    out[(size_t)blockIdx.y * C + c] = fmaxf(fmaxf(m0, m1), fmaxf(m2, m3));
}

// host
torch::Tensor max_dim1(torch::Tensor x) {
    x = x.contiguous();
    int B = x.size(0), R = x.size(1), C = x.size(2);
    auto out = torch::empty({B, C}, x.options());
    dim3 grid((C + 255) / 256, B);
    max_mid<<<grid, 256, 0, at::cuda::getCurrentCUDAStream()>>>(x.data_ptr<float>(), out.data_ptr<float>(), R, C, (size_t)x.numel());
    return out;
}
'''

ext = load_inline(name="kernelbench_max_mid", cpp_sources="torch::Tensor max_dim1(torch::Tensor x);",
                  cuda_sources=cuda_src, functions=["max_dim1"], extra_cuda_cflags=["-O3"])


class ModelNew(nn.Module):
    def __init__(self, dim: int):
        super().__init__()
        self.dim = dim

    def forward(self, x):
        if self.dim != 1 or x.dim() != 3:
            return torch.max(x, dim=self.dim)[0]
        return ext.max_dim1(x)
