# task: level1/88_MinGPTNewGelu
# device: cuda
# expect: correct
# why: fused tanh-GELU in one float4 grid-stride kernel, exact tanhf, with a scalar tail.
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

cuda_src = r'''
#include <torch/extension.h>
#include <ATen/cuda/CUDAContext.h>

__device__ __forceinline__ float new_gelu(float x) {
    const float k = 0.7978845608028654f;
    float inner = k * (x + 0.044715f * (x * x * x));
    return 0.5f * x * (1.0f + tanhf(inner));
}

__global__ void new_gelu_kernel(const float* __restrict__ x, float* __restrict__ y, long n) {
    long n4 = n / 4;
    long stride = (long)gridDim.x * blockDim.x;
    long tid = (long)blockIdx.x * blockDim.x + threadIdx.x;
    const float4* x4 = reinterpret_cast<const float4*>(x);
    float4* y4 = reinterpret_cast<float4*>(y);
    for (long i = tid; i < n4; i += stride) {
        float4 v = x4[i];
        v.x = new_gelu(v.x);
        v.y = new_gelu(v.y);
        v.z = new_gelu(v.z);
        v.w = new_gelu(v.w);
        y4[i] = v;
    }
    for (long i = n4 * 4 + tid; i < n; i += stride) y[i] = new_gelu(x[i]);
}

// host
torch::Tensor new_gelu_forward(torch::Tensor x) {
    TORCH_CHECK(x.is_cuda(), "x must be a CUDA tensor");
    x = x.contiguous();
    auto y = torch::empty_like(x);
    long n = x.numel();
    int threads = 256;
    int blocks = (int)std::min<long>((n / 4 + threads - 1) / threads + 1, 132L * 16);
    new_gelu_kernel<<<blocks, threads, 0, at::cuda::getCurrentCUDAStream()>>>(
        x.data_ptr<float>(), y.data_ptr<float>(), n);
    return y;
}
'''

cpp_src = "torch::Tensor new_gelu_forward(torch::Tensor x);"

ext = load_inline(name="kernelbench_newgelu_v1", cpp_sources=cpp_src, cuda_sources=cuda_src,
                  functions=["new_gelu_forward"], extra_cuda_cflags=["-O3"], verbose=False)


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, x):
        return ext.new_gelu_forward(x)
