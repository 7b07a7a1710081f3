# task: level1/99_TripletMarginLoss
# device: cuda
# expect: correct
# why: both distances of a row in one pass over the three inputs (with pairwise_distance's eps of
# why: 1e-6), hinge, then a double-precision mean.
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

cuda_src = r'''
#include <torch/extension.h>
#include <ATen/cuda/CUDAContext.h>

__device__ __forceinline__ void acc4(float& s, const float4& a, const float4& b) {
    const float e = 1e-6f;
    float d0 = a.x - b.x + e, d1 = a.y - b.y + e, d2 = a.z - b.z + e, d3 = a.w - b.w + e;
    s = fmaf(d0, d0, s); s = fmaf(d1, d1, s); s = fmaf(d2, d2, s); s = fmaf(d3, d3, s);
}

__global__ __launch_bounds__(256) void triplet_rows(
        const float4* __restrict__ a, const float4* __restrict__ p, const float4* __restrict__ n,
        float* __restrict__ rows, int D4, float margin) {
    __shared__ float s1[8], s2[8];
    long base = (long)blockIdx.x * D4;
    float dp = 0.f, dn = 0.f;
    for (int i = threadIdx.x; i < D4; i += 256) {
        float4 va = a[base + i];
        acc4(dp, va, p[base + i]);
        acc4(dn, va, n[base + i]);
    }
    for (int o = 16; o; o >>= 1) {
        dp += __shfl_xor_sync(0xffffffffu, dp, o);
        dn += __shfl_xor_sync(0xffffffffu, dn, o);
    }
    if ((threadIdx.x & 31) == 0) { s1[threadIdx.x >> 5] = dp; s2[threadIdx.x >> 5] = dn; }
    __syncthreads();
    if (threadIdx.x == 0) {
        dp = 0.f; dn = 0.f;
        for (int w = 0; w < 8; ++w) { dp += s1[w]; dn += s2[w]; }
        float v = margin + sqrtf(dp) - sqrtf(dn);
        rows[blockIdx.x] = v < 0.f ? 0.f : v;
    }
}

__global__ void mean_rows(const float* __restrict__ rows, float* __restrict__ out, int n) {
    __shared__ double sh[1024];
    double s = 0.0;
    for (int i = threadIdx.x; i < n; i += 1024) s += rows[i];
    sh[threadIdx.x] = s;
    __syncthreads();
    for (int k = 512; k > 0; k >>= 1) {
        if (threadIdx.x < k) sh[threadIdx.x] += sh[threadIdx.x + k];
        __syncthreads();
    }
    if (threadIdx.x == 0) *out = (float)(sh[0] / n);
}

// host
torch::Tensor triplet_forward(torch::Tensor a, torch::Tensor p, torch::Tensor n, double margin) {
    a = a.contiguous(); p = p.contiguous(); n = n.contiguous();
    int N = a.size(0), D = a.size(1);
    TORCH_CHECK(D % 4 == 0, "D % 4 != 0");
    auto rows = torch::empty({N}, a.options());
    auto out = torch::empty({}, a.options());
    auto st = at::cuda::getCurrentCUDAStream();
    triplet_rows<<<N, 256, 0, st>>>((const float4*)a.data_ptr<float>(), (const float4*)p.data_ptr<float>(),
                                    (const float4*)n.data_ptr<float>(), rows.data_ptr<float>(), D / 4, (float)margin);
    mean_rows<<<1, 1024, 0, st>>>(rows.data_ptr<float>(), out.data_ptr<float>(), N);
    return out;
}
'''

mod = load_inline(name="kernelbench_triplet_fused",
                  cpp_sources="torch::Tensor triplet_forward(torch::Tensor a, torch::Tensor p, torch::Tensor n, double margin);",
                  cuda_sources=cuda_src, functions=["triplet_forward"], extra_cuda_cflags=["-O3"])


class ModelNew(nn.Module):
    def __init__(self, margin=1.0):
        super().__init__()
        self.margin = float(margin)

    def forward(self, anchor, positive, negative):
        return mod.triplet_forward(anchor, positive, negative, self.margin)
