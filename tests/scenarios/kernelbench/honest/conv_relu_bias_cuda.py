# task: level2/1_Conv2D_ReLU_BiasAdd
# device: cuda
# expect: correct
# why: cuDNN convolution without its bias, then conv bias + ReLU + extra bias in one in-place
# why: kernel over planes.
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.cpp_extension import load_inline

cuda_src = r'''
#include <torch/extension.h>
#include <ATen/cuda/CUDAContext.h>

__device__ __forceinline__ float act(float v, float cb, float b) {
    v += cb;
    v = v < 0.f ? 0.f : v;
    return v + b;
}

__global__ void bias_relu_bias(float* __restrict__ y, const float* __restrict__ cb, const float* __restrict__ eb,
                               int C, int hw) {
    int plane = blockIdx.y;
    int c = plane % C;
    float b0 = __ldg(cb + c), b1 = __ldg(eb + c);
    float* p = y + (size_t)plane * hw;
    int hw4 = hw >> 2;
    float4* p4 = reinterpret_cast<float4*>(p);
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < hw4; i += gridDim.x * blockDim.x) {
        float4 v = p4[i];
        v.x = act(v.x, b0, b1); v.y = act(v.y, b0, b1); v.z = act(v.z, b0, b1); v.w = act(v.w, b0, b1);
        p4[i] = v;
    }
}

// host
void epilogue(torch::Tensor y, torch::Tensor cb, torch::Tensor eb) {
    TORCH_CHECK(y.is_contiguous(), "NCHW expected");
    int C = y.size(1), hw = y.size(2) * y.size(3);
    TORCH_CHECK(hw % 4 == 0, "plane size must be a multiple of 4");
    dim3 grid((hw / 4 + 255) / 256, y.size(0) * C);
    bias_relu_bias<<<grid, 256, 0, at::cuda::getCurrentCUDAStream()>>>(
        y.data_ptr<float>(), cb.data_ptr<float>(), eb.data_ptr<float>(), C, hw);
}
'''

ext = load_inline(name="kernelbench_conv_relu_bias",
                  cpp_sources="void epilogue(torch::Tensor y, torch::Tensor cb, torch::Tensor eb);",
                  cuda_sources=cuda_src, functions=["epilogue"], extra_cuda_cflags=["-O3"])


class ModelNew(nn.Module):
    def __init__(self, in_channels, out_channels, kernel_size, bias_shape):
        super().__init__()
        self.conv = nn.Conv2d(in_channels, out_channels, kernel_size)
        self.bias = nn.Parameter(torch.randn(bias_shape))

    def forward(self, x):
        with torch.no_grad():
            y = F.conv2d(x, self.conv.weight).contiguous()
            ext.epilogue(y, self.conv.bias, self.bias)
        return y
