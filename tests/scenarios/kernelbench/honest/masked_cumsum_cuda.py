# task: level1/93_masked_cumsum
# device: cuda
# expect: correct
# why: a block scans one row in tiles (float4 per thread, warp shuffle scan, running carry), the
# why: mask multiplied in on load; no intermediate x*mask.
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

cuda_src = r'''
#include <torch/extension.h>
#include <ATen/cuda/CUDAContext.h>

#define T 512

__global__ __launch_bounds__(T) void masked_scan(const float* __restrict__ x, const unsigned char* __restrict__ m,
                                                 float* __restrict__ y, int L) {
    __shared__ float warp_tot[T / 32];
    __shared__ float warp_off[T / 32];
    __shared__ float tile_tot;
    size_t base = (size_t)blockIdx.x * L;
    int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
    float carry = 0.f;
    for (int t0 = 0; t0 < L; t0 += T * 4) {
        int i = t0 + threadIdx.x * 4;
        float4 v = make_float4(0.f, 0.f, 0.f, 0.f);
        if (i < L) {
            v = *reinterpret_cast<const float4*>(x + base + i);
            uchar4 k = *reinterpret_cast<const uchar4*>(m + base + i);
            v.x *= k.x ? 1.f : 0.f; v.y *= k.y ? 1.f : 0.f; v.z *= k.z ? 1.f : 0.f; v.w *= k.w ? 1.f : 0.f;
        }
        v.y += v.x; v.z += v.y; v.w += v.z;
        float s = v.w;
        #pragma unroll
        for (int o = 1; o < 32; o <<= 1) {
            float u = __shfl_up_sync(0xffffffffu, s, o);
            if (lane >= o) s += u;
        }
        float excl = __shfl_up_sync(0xffffffffu, s, 1);
        if (lane == 0) excl = 0.f;
        if (lane == 31) warp_tot[warp] = s;
        __syncthreads();
        if (warp == 0) {
            float w = lane < T / 32 ? warp_tot[lane] : 0.f;
            float z = w;
            #pragma unroll
            for (int o = 1; o < 32; o <<= 1) {
                float u = __shfl_up_sync(0xffffffffu, z, o);
                if (lane >= o) z += u;
            }
            float zx = __shfl_up_sync(0xffffffffu, z, 1);
            if (lane == 0) zx = 0.f;
            if (lane < T / 32) warp_off[lane] = zx;
            if (lane == T / 32 - 1) tile_tot = z;
        }
        __syncthreads();
        float add = carry + (warp_off[warp] + excl);
        if (i < L) {
            v.x += add; v.y += add; v.z += add; v.w += add;
            *reinterpret_cast<float4*>(y + base + i) = v;
        }
        carry += tile_tot;
        __syncthreads();
    }
}

// host
torch::Tensor masked_cumsum(torch::Tensor x, torch::Tensor mask) {
    x = x.contiguous();
    mask = mask.contiguous();
    int R = x.size(0), L = x.size(1);
    auto y = torch::empty_like(x);
    masked_scan<<<R, T, 0, at::cuda::getCurrentCUDAStream()>>>(
        x.data_ptr<float>(), reinterpret_cast<const unsigned char*>(mask.data_ptr<bool>()), y.data_ptr<float>(), L);
    return y;
}
'''

ext = load_inline(name="kernelbench_masked_cumsum", cpp_sources="torch::Tensor masked_cumsum(torch::Tensor x, torch::Tensor mask);",
                  cuda_sources=cuda_src, functions=["masked_cumsum"], extra_cuda_cflags=["-O3"])


class ModelNew(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.dim = dim

    def forward(self, x, mask):
        if x.dim() != 2 or self.dim not in (1, -1) or x.shape[1] % 4 != 0 or mask.dtype != torch.bool:
            return torch.cumsum(x * mask, dim=self.dim)
        return ext.masked_cumsum(x, mask)
