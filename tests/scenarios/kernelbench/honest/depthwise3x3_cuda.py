# task: level1/82_conv_depthwise_2D_square_input_square_kernel
# device: cuda
# expect: correct
# why: direct fp32 depthwise 3x3 with a shared-memory halo tile, weights read from the parameter
# why: on every call; other configurations go to the module.
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

cuda_src = r'''
#include <torch/extension.h>
#include <ATen/cuda/CUDAContext.h>

#define TW 32
#define TH 32

__global__ __launch_bounds__(256) void dw3x3(const float* __restrict__ x, const float* __restrict__ w,
                                             float* __restrict__ y, int C, int H, int W, int OH, int OW, int pad) {
    __shared__ float tile[TH + 2][TW + 2];
    int plane = blockIdx.z;
    int c = plane % C;
    const float* xp = x + (size_t)plane * H * W;
    float* yp = y + (size_t)plane * OH * OW;
    int ox0 = blockIdx.x * TW, oy0 = blockIdx.y * TH;
    int tid = threadIdx.y * 32 + threadIdx.x;
    for (int i = tid; i < (TH + 2) * (TW + 2); i += 256) {
        int r = i / (TW + 2), q = i % (TW + 2);
        int iy = oy0 + r - pad, ix = ox0 + q - pad;
        tile[r][q] = (iy >= 0 && iy < H && ix >= 0 && ix < W) ? xp[(size_t)iy * W + ix] : 0.f;
    }
    float k[9];
    #pragma unroll
    for (int i = 0; i < 9; ++i) k[i] = __ldg(w + c * 9 + i);
    __syncthreads();
    int ox = ox0 + threadIdx.x;
    if (ox >= OW) return;
    #pragma unroll
    for (int j = 0; j < TH / 8; ++j) {
        int ly = threadIdx.y + j * 8;
        int oy = oy0 + ly;
        if (oy < OH) {
            float s = 0.f;
            #pragma unroll
            for (int a = 0; a < 3; ++a)
                #pragma unroll
                for (int b = 0; b < 3; ++b) s = fmaf(tile[ly + a][threadIdx.x + b], k[a * 3 + b], s);
            yp[(size_t)oy * OW + ox] = s;
        }
    }
}

// host
torch::Tensor dw_forward(torch::Tensor x, torch::Tensor w, int64_t pad) {
    x = x.contiguous();
    w = w.contiguous();
    int N = x.size(0), C = x.size(1), H = x.size(2), W = x.size(3);
    int OH = H + 2 * (int)pad - 2, OW = W + 2 * (int)pad - 2;
    auto y = torch::empty({N, C, OH, OW}, x.options());
    dim3 grid((OW + TW - 1) / TW, (OH + TH - 1) / TH, N * C);
    dw3x3<<<grid, dim3(32, 8), 0, at::cuda::getCurrentCUDAStream()>>>(
        x.data_ptr<float>(), w.data_ptr<float>(), y.data_ptr<float>(), C, H, W, OH, OW, (int)pad);
    return y;
}
'''

ext = load_inline(name="kernelbench_dw3x3_tile", cpp_sources="torch::Tensor dw_forward(torch::Tensor x, torch::Tensor w, int64_t pad);",
                  cuda_sources=cuda_src, functions=["dw_forward"], extra_cuda_cflags=["-O3"])


class ModelNew(nn.Module):
    def __init__(self, in_channels, kernel_size, stride=1, padding=0, bias=False):
        super().__init__()
        self.conv2d = nn.Conv2d(in_channels, in_channels, kernel_size, stride=stride, padding=padding,
                                groups=in_channels, bias=bias)
        self.fast = kernel_size == 3 and stride == 1 and not bias
        self.padding = padding

    def forward(self, x):
        if not self.fast or x.shape[0] * x.shape[1] > 65535:
            return self.conv2d(x)
        return ext.dw_forward(x, self.conv2d.weight, self.padding)
