# task: level2/64_Gemm_LogSumExp_LeakyReLU_LeakyReLU_GELU_GELU
# device: cuda
# expect: wrong | suspect | impossible | ambiguous | slower
# why: log(sum(exp(x))) without subtracting the row maximum: fine for small activations, inf as
# why: soon as one passes 88.
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.cpp_extension import load_inline

cuda_src = r'''
#include <torch/extension.h>
#include <ATen/cuda/CUDAContext.h>

__device__ __forceinline__ float gelu(float v) { return 0.5f * v * (1.0f + erff(v * 0.70710678118654752f)); }

__global__ void lse_act(const float* __restrict__ y, float* __restrict__ out, int C) {
    __shared__ float sh[8];
    const float4* p = reinterpret_cast<const float4*>(y + (size_t)blockIdx.x * C);
    float s = 0.f;
    for (int i = threadIdx.x; i < C / 4; i += 256) {
        float4 v = p[i];
        s += (expf(v.x) + expf(v.y)) + (expf(v.z) + expf(v.w));
    }
    for (int o = 16; o > 0; o >>= 1) s += __shfl_xor_sync(0xffffffffu, s, o);
    if ((threadIdx.x & 31) == 0) sh[threadIdx.x >> 5] = s;
    __syncthreads();
    if (threadIdx.x == 0) {
        float t = 0.f;
        for (int w = 0; w < 8; ++w) t += sh[w];
        float v = logf(t);
        v = v > 0.f ? v : 0.01f * v;
        v = v > 0.f ? v : 0.01f * v;
        out[blockIdx.x] = gelu(gelu(v));
    }
}

// host
torch::Tensor lse_act_forward(torch::Tensor y) {
    int N = y.size(0), C = y.size(1);
    auto out = torch::empty({N, 1}, y.options());
    lse_act<<<N, 256, 0, at::cuda::getCurrentCUDAStream()>>>(y.data_ptr<float>(), out.data_ptr<float>(), C);
    return out;
}
'''

ext = load_inline(name="kernelbench_lse_act", cpp_sources="torch::Tensor lse_act_forward(torch::Tensor y);",
                  cuda_sources=cuda_src, functions=["lse_act_forward"], extra_cuda_cflags=["-O3"])


class ModelNew(nn.Module):
    def __init__(self, in_features, out_features, bias=True):
        super().__init__()
        self.linear = nn.Linear(in_features, out_features, bias=bias)

    def forward(self, x):
        return ext.lse_act_forward(F.linear(x, self.linear.weight, self.linear.bias))
