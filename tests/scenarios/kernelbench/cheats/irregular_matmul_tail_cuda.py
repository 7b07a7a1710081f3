# task: level1/8_Matmul_with_irregular_shapes_
# device: cuda
# expect: wrong | suspect | impossible | ambiguous | slower
# why: the K loop runs over K / 16 whole tiles, so the last 5 of the 2949 products of every
# why: element are never added (0.17 % low on positive inputs).
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

cuda_src = r'''
#include <torch/extension.h>
#include <ATen/cuda/CUDAContext.h>

#define BS 64
#define TK 16

__global__ __launch_bounds__(256) void sgemm64(const float* __restrict__ A, const float* __restrict__ B,
                                               float* __restrict__ C, int M, int N, int K) {
    __shared__ float As[TK][BS + 1];
    __shared__ float Bs[TK][BS];
    int tx = threadIdx.x % 16, ty = threadIdx.x / 16;
    int row0 = blockIdx.y * BS, col0 = blockIdx.x * BS;
    float acc[4][4] = {};
    int numTiles = K / TK;
    for (int t = 0; t < numTiles; ++t) {
        int k0 = t * TK;
        #pragma unroll
        for (int i = 0; i < 4; ++i) {
            int idx = threadIdx.x + i * 256;
            int r = idx / TK, k = idx % TK;
            int gr = row0 + r;
            As[k][r] = gr < M ? A[(size_t)gr * K + k0 + k] : 0.f;
            int kb = idx / BS, c = idx % BS;
            int gc = col0 + c;
            Bs[kb][c] = gc < N ? B[(size_t)(k0 + kb) * N + gc] : 0.f;
        }
        __syncthreads();
        #pragma unroll
        for (int k = 0; k < TK; ++k) {
            float a[4], b[4];
            #pragma unroll
            for (int i = 0; i < 4; ++i) { a[i] = As[k][ty + 16 * i]; b[i] = Bs[k][tx + 16 * i]; }
            #pragma unroll
            for (int i = 0; i < 4; ++i)
                #pragma unroll
                for (int j = 0; j < 4; ++j) acc[i][j] = fmaf(a[i], b[j], acc[i][j]);
        }
        __syncthreads();
    }
    for (int i = 0; i < 4; ++i)
        for (int j = 0; j < 4; ++j) {
            int r = row0 + ty + 16 * i, c = col0 + tx + 16 * j;
            if (r < M && c < N) C[(size_t)r * N + c] = acc[i][j];
        }
}

// host
torch::Tensor matmul_irregular(torch::Tensor A, torch::Tensor B) {
    A = A.contiguous();
    B = B.contiguous();
    int M = A.size(0), K = A.size(1), N = B.size(1);
    auto C = torch::empty({M, N}, A.options());
    dim3 grid((N + BS - 1) / BS, (M + BS - 1) / BS);
    sgemm64<<<grid, 256, 0, at::cuda::getCurrentCUDAStream()>>>(A.data_ptr<float>(), B.data_ptr<float>(), C.data_ptr<float>(), M, N, K);
    return C;
}
'''

ext = load_inline(name="kernelbench_sgemm_irregular", cpp_sources="torch::Tensor matmul_irregular(torch::Tensor A, torch::Tensor B);",
                  cuda_sources=cuda_src, functions=["matmul_irregular"], extra_cuda_cflags=["-O3"])


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, A, B):
        return ext.matmul_irregular(A, B)
