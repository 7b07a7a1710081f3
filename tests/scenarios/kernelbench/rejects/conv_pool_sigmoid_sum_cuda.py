# task: level2/65_Conv2d_AvgPool_Sigmoid_Sum
# device: cuda
# expect: degenerate
# why: cuDNN convolution, then 4x4 average pool, sigmoid and the sum of a plane fused per block,
# why: plane sums reduced per sample in a second kernel. The outputs of this task hardly vary.
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

cuda_src = r'''
#include <torch/extension.h>
#include <ATen/cuda/CUDAContext.h>

__global__ void pool_sig_plane(const float* __restrict__ x, float* __restrict__ part, int H, int W, int K) {
    __shared__ float sh[8];
    const float* p = x + (size_t)blockIdx.x * H * W;
    int PH = H / K, PW = W / K;
    float inv = 1.0f / (float)(K * K);
    float acc = 0.f;
    for (int i = threadIdx.x; i < PH * PW; i += 256) {
        int py = i / PW, px = i - py * PW;
        const float* q = p + (size_t)(py * K) * W + px * K;
        float s = 0.f;
        for (int a = 0; a < K; ++a)
            for (int b = 0; b < K; ++b) s += q[(size_t)a * W + b];
        s *= inv;
        acc += 1.0f / (1.0f + expf(-s));
    }
    for (int o = 16; o > 0; o >>= 1) acc += __shfl_down_sync(0xffffffffu, acc, o);
    if ((threadIdx.x & 31) == 0) sh[threadIdx.x >> 5] = acc;
    __syncthreads();
    if (threadIdx.x == 0) {
        float s = 0.f;
        for (int w = 0; w < 8; ++w) s += sh[w];
        part[blockIdx.x] = s;
    }
}

__global__ void sum_planes(const float* __restrict__ part, float* __restrict__ out, int C) {
    float s = 0.f;
    for (int i = threadIdx.x; i < C; i += 32) s += part[(size_t)blockIdx.x * C + i];
    for (int o = 16; o > 0; o >>= 1) s += __shfl_down_sync(0xffffffffu, s, o);
    if (threadIdx.x == 0) out[blockIdx.x] = s;
}

// host
torch::Tensor pool_sigmoid_sum(torch::Tensor y, int64_t k) {
    y = y.contiguous();
    int N = y.size(0), C = y.size(1), H = y.size(2), W = y.size(3);
    auto part = torch::empty({N, C}, y.options());
    auto out = torch::empty({N}, y.options());
    auto st = at::cuda::getCurrentCUDAStream();
    pool_sig_plane<<<N * C, 256, 0, st>>>(y.data_ptr<float>(), part.data_ptr<float>(), H, W, (int)k);
    sum_planes<<<N, 32, 0, st>>>(part.data_ptr<float>(), out.data_ptr<float>(), C);
    return out;
}
'''

ext = load_inline(name="kernelbench_pool_sigmoid_sum", cpp_sources="torch::Tensor pool_sigmoid_sum(torch::Tensor y, int64_t k);",
                  cuda_sources=cuda_src, functions=["pool_sigmoid_sum"], extra_cuda_cflags=["-O3"])


class ModelNew(nn.Module):
    def __init__(self, in_channels, out_channels, kernel_size, pool_kernel_size):
        super().__init__()
        self.conv = nn.Conv2d(in_channels, out_channels, kernel_size)
        self.pool_kernel_size = pool_kernel_size

    def forward(self, x):
        return ext.pool_sigmoid_sum(self.conv(x), self.pool_kernel_size)
