# task: level2/98_Matmul_AvgPool_GELU_Scale_Max
# device: cuda
# expect: correct
# why: linear by cuBLAS, then average pool of 16, GELU, scale and row max fused in one block per
# why: row; max propagates NaN as torch.max does.
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

cuda_src = r'''
#include <torch/extension.h>
#include <ATen/cuda/CUDAContext.h>
#include <math_constants.h>

__device__ __forceinline__ float nmax(float a, float b) { return (a != a || a > b) ? a : b; }

__global__ void pool_gelu_max(const float* __restrict__ y, float* __restrict__ out, int F, int K, float scale) {
    __shared__ float sh[32];
    const float* p = y + (size_t)blockIdx.x * F;
    int pools = F / K;
    float best = -CUDART_INF_F;
    float inv = 1.0f / (float)K;
    for (int i = threadIdx.x; i < pools; i += blockDim.x) {
        const float4* q = reinterpret_cast<const float4*>(p + (size_t)i * K);
        float s = 0.f;
        for (int j = 0; j < K / 4; ++j) {
            float4 v = q[j];
            s += (v.x + v.y) + (v.z + v.w);
        }
        s *= inv;
        s = 0.5f * s * (1.0f + erff(s * 0.70710678118654752f));
        best = nmax(best, s * scale);
    }
    for (int o = 16; o > 0; o >>= 1) best = nmax(best, __shfl_xor_sync(0xffffffffu, best, o));
    if ((threadIdx.x & 31) == 0) sh[threadIdx.x >> 5] = best;
    __syncthreads();
    if (threadIdx.x == 0) {
        for (int w = 1; w < blockDim.x / 32; ++w) best = nmax(best, sh[w]);
        out[blockIdx.x] = best;
    }
}

// host
torch::Tensor fused_forward(torch::Tensor x, torch::Tensor w, torch::Tensor b, int64_t k, double scale) {
    auto y = torch::addmm(b, x, w.t());
    int N = y.size(0), F = y.size(1);
    TORCH_CHECK(k % 4 == 0 && F % k == 0, "bad pool size");
    auto out = torch::empty({N}, y.options());
    pool_gelu_max<<<N, 256, 0, at::cuda::getCurrentCUDAStream()>>>(y.data_ptr<float>(), out.data_ptr<float>(), F, (int)k, (float)scale);
    return out;
}
'''

ext = load_inline(name="kernelbench_pool_gelu_max",
                  cpp_sources="torch::Tensor fused_forward(torch::Tensor x, torch::Tensor w, torch::Tensor b, int64_t k, double scale);",
                  cuda_sources=cuda_src, functions=["fused_forward"], extra_cuda_cflags=["-O3"])


class ModelNew(nn.Module):
    def __init__(self, in_features, out_features, pool_kernel_size, scale_factor):
        super().__init__()
        self.matmul = nn.Linear(in_features, out_features)
        self.pool_kernel_size = pool_kernel_size
        self.scale_factor = scale_factor

    def forward(self, x):
        return ext.fused_forward(x, self.matmul.weight, self.matmul.bias, self.pool_kernel_size, float(self.scale_factor))
