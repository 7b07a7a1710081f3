# task: level2/30_Gemm_GroupNorm_Hardtanh
# device: cuda
# expect: wrong | suspect | impossible | ambiguous | slower
# why: race in shared memory: the second block reduction overwrites the partials of the first
# why: without a barrier, so a slow warp can read sums of squares as part of the mean.
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.cpp_extension import load_inline

cuda_src = r'''
#include <torch/extension.h>
#include <ATen/cuda/CUDAContext.h>

__device__ __forceinline__ float block_sum(float v, float* sh) {
    for (int o = 16; o > 0; o >>= 1) v += __shfl_xor_sync(0xffffffffu, v, o);
    if ((threadIdx.x & 31) == 0) sh[threadIdx.x >> 5] = v;
    __syncthreads();
    float s = 0.f;
    for (int w = 0; w < blockDim.x / 32; ++w) s += sh[w];
    return s;
}

__global__ void gn_hardtanh(float* __restrict__ y, const float* __restrict__ g, const float* __restrict__ b,
                            int C, int G, float eps, float lo, float hi) {
    __shared__ float sh[32];
    int per = C / G;
    int grp = blockIdx.x % G;
    float* p = y + (size_t)(blockIdx.x / G) * C + (size_t)grp * per;
    float v = p[threadIdx.x];
    float mean = block_sum(v, sh) / per;
    float d = v - mean;
    float var = block_sum(d * d, sh) / per;
    int c = grp * per + threadIdx.x;
    float o = d * rsqrtf(var + eps) * g[c] + b[c];
    p[threadIdx.x] = fminf(fmaxf(o, lo), hi);
}

// host
void gn_forward(torch::Tensor y, torch::Tensor g, torch::Tensor b, int64_t groups, double eps, double lo, double hi) {
    int N = y.size(0), C = y.size(1);
    gn_hardtanh<<<N * (int)groups, C / (int)groups, 0, at::cuda::getCurrentCUDAStream()>>>(
        y.data_ptr<float>(), g.data_ptr<float>(), b.data_ptr<float>(), C, (int)groups, (float)eps, (float)lo, (float)hi);
}
'''

ext = load_inline(name="kernelbench_gn_hardtanh_blk",
                  cpp_sources="void gn_forward(torch::Tensor y, torch::Tensor g, torch::Tensor b, int64_t groups, double eps, double lo, double hi);",
                  cuda_sources=cuda_src, functions=["gn_forward"], extra_cuda_cflags=["-O3"])


class ModelNew(nn.Module):
    def __init__(self, in_features, out_features, num_groups, hardtanh_min, hardtanh_max):
        super().__init__()
        self.gemm = nn.Linear(in_features, out_features)
        self.group_norm = nn.GroupNorm(num_groups, out_features)
        self.hardtanh = nn.Hardtanh(min_val=hardtanh_min, max_val=hardtanh_max)

    def forward(self, x):
        with torch.no_grad():
            y = F.linear(x, self.gemm.weight, self.gemm.bias)
            ext.gn_forward(y, self.group_norm.weight, self.group_norm.bias, self.group_norm.num_groups,
                           self.group_norm.eps, self.hardtanh.min_val, self.hardtanh.max_val)
        return y
