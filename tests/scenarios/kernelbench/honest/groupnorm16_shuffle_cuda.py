# task: level2/62_Matmul_GroupNorm_LeakyReLU_Sum
# device: cuda
# expect: correct
# why: F.linear, then GroupNorm + LeakyReLU + doubling fused; a group of 16 channels is handled
# why: by 4 lanes with float4 and xor shuffles, two-pass variance.
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.cpp_extension import load_inline

cuda_src = r'''
#include <torch/extension.h>
#include <ATen/cuda/CUDAContext.h>

__device__ __forceinline__ float quad_sum(float v) {
    v += __shfl_xor_sync(0xffffffffu, v, 1);
    v += __shfl_xor_sync(0xffffffffu, v, 2);
    return v;
}

__global__ void gn16_lrelu(float* __restrict__ y, const float* __restrict__ g, const float* __restrict__ b,
                           long nvec, int cvec, float eps, float slope) {
    long i = (long)blockIdx.x * blockDim.x + threadIdx.x;   // one float4 each; nvec % blockDim.x == 0
    float4* y4 = reinterpret_cast<float4*>(y);
    float4 v = y4[i];
    float mean = quad_sum((v.x + v.y) + (v.z + v.w)) * (1.0f / 16.0f);
    float a = v.x - mean, c = v.y - mean, d = v.z - mean, e = v.w - mean;
    float var = quad_sum((a * a + c * c) + (d * d + e * e)) * (1.0f / 16.0f);
    float r = rsqrtf(var + eps);
    int col = (int)(i % cvec);
    float4 gg = reinterpret_cast<const float4*>(g)[col];
    float4 bb = reinterpret_cast<const float4*>(b)[col];
    a = a * r * gg.x + bb.x;
    c = c * r * gg.y + bb.y;
    d = d * r * gg.z + bb.z;
    e = e * r * gg.w + bb.w;
    a = a > 0.f ? a : a * slope;
    c = c > 0.f ? c : c * slope;
    d = d > 0.f ? d : d * slope;
    e = e > 0.f ? e : e * slope;
    y4[i] = make_float4(a + a, c + c, d + d, e + e);
}

// host
void gn16_forward(torch::Tensor y, torch::Tensor g, torch::Tensor b, double eps, double slope) {
    long nvec = y.numel() / 4;
    TORCH_CHECK(nvec % 256 == 0, "size must be a multiple of 1024");
    gn16_lrelu<<<(unsigned)(nvec / 256), 256, 0, at::cuda::getCurrentCUDAStream()>>>(
        y.data_ptr<float>(), g.data_ptr<float>(), b.data_ptr<float>(), nvec, (int)(y.size(1) / 4), (float)eps, (float)slope);
}
'''

ext = load_inline(name="kernelbench_gn16_lrelu",
                  cpp_sources="void gn16_forward(torch::Tensor y, torch::Tensor g, torch::Tensor b, double eps, double slope);",
                  cuda_sources=cuda_src, functions=["gn16_forward"], extra_cuda_cflags=["-O3"])


class ModelNew(nn.Module):
    def __init__(self, input_size, hidden_size, num_groups, eps=1e-5, negative_slope=0.01):
        super().__init__()
        self.fc = nn.Linear(input_size, hidden_size)
        self.gn = nn.GroupNorm(num_groups=num_groups, num_channels=hidden_size, eps=eps)
        self.leaky_relu = nn.LeakyReLU(negative_slope=negative_slope)

    def forward(self, x):
        y = F.linear(x, self.fc.weight, self.fc.bias)
        if self.gn.num_channels != 16 * self.gn.num_groups or y.numel() % 1024 != 0 or torch.is_grad_enabled() and y.requires_grad:
            y = self.leaky_relu(self.gn(y))
            return y + y
        ext.gn16_forward(y, self.gn.weight, self.gn.bias, self.gn.eps, self.leaky_relu.negative_slope)
        return y
