# task: level2/86_Matmul_Divide_GELU
# device: cuda
# expect: correct
# why: cuBLAS addmm in the C++ host code followed by an in-place float4 epilogue (true division,
# why: erf GELU) on the current stream.
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

cuda_src = r'''
#include <torch/extension.h>
#include <ATen/cuda/CUDAContext.h>

__device__ __forceinline__ float epi(float v, float d) {
    v = v / d;
    return 0.5f * v * (1.0f + erff(v * 0.70710678118654752f));
}

__global__ void div_gelu_inplace(float4* __restrict__ y, long n4, float d) {
    long i = (long)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n4) {
        float4 v = y[i];
        v.x = epi(v.x, d); v.y = epi(v.y, d); v.z = epi(v.z, d); v.w = epi(v.w, d);
        y[i] = v;
    }
}

__global__ void div_gelu_tail(float* __restrict__ y, long from, long n, float d) {
    long i = from + threadIdx.x;
    if (i < n) y[i] = epi(y[i], d);
}

// host
torch::Tensor linear_div_gelu(torch::Tensor x, torch::Tensor w, torch::Tensor b, double divisor) {
    auto y = torch::addmm(b, x, w.t());
    long n = y.numel();
    long n4 = n / 4;
    auto stream = at::cuda::getCurrentCUDAStream();
    div_gelu_inplace<<<(unsigned)((n4 + 255) / 256), 256, 0, stream>>>((float4*)y.data_ptr<float>(), n4, (float)divisor);
    if (n4 * 4 < n) div_gelu_tail<<<1, 4, 0, stream>>>(y.data_ptr<float>(), n4 * 4, n, (float)divisor);
    return y;
}
'''

cpp_src = "torch::Tensor linear_div_gelu(torch::Tensor x, torch::Tensor w, torch::Tensor b, double divisor);"

_ext = load_inline(name="kernelbench_linear_div_gelu", cpp_sources=cpp_src, cuda_sources=cuda_src,
                   functions=["linear_div_gelu"], extra_cuda_cflags=["-O3"])


class ModelNew(nn.Module):
    def __init__(self, input_size, output_size, divisor):
        super().__init__()
        self.linear = nn.Linear(input_size, output_size)
        self.divisor = divisor

    def forward(self, x):
        return _ext.linear_div_gelu(x, self.linear.weight, self.linear.bias, float(self.divisor))
