# task: level1/15_Matmul_for_lower_triangular_matrices
# device: cuda
# expect: correct
# why: fp32 128x128x8 register-tiled SGEMM that computes only output tiles touching the lower
# why: triangle (full K loop, nothing assumed about the inputs) and writes zeros above.
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

cuda_src = r'''
#include <torch/extension.h>
#include <ATen/cuda/CUDAContext.h>

#define BM 128
#define BN 128
#define BK 8

__global__ __launch_bounds__(256) void tril_sgemm(const float* __restrict__ A, const float* __restrict__ B,
                                                  float* __restrict__ C, int N) {
    int bm = blockIdx.y, bn = blockIdx.x;
    int tid = threadIdx.x;
    int tx = tid % 16, ty = tid / 16;
    if (bn > bm) {
        // strictly above the diagonal: only zeros
        float4 z = make_float4(0.f, 0.f, 0.f, 0.f);
        for (int i = tid; i < BM * (BN / 4); i += 256) {
            int r = i / (BN / 4), c = i % (BN / 4);
            *reinterpret_cast<float4*>(C + (size_t)(bm * BM + r) * N + bn * BN + c * 4) = z;
        }
        return;
    }
    __shared__ float As[2][BK][BM];
    __shared__ float Bs[2][BK][BN];
    float acc[8][8];
    #pragma unroll
    for (int i = 0; i < 8; ++i)
        #pragma unroll
        for (int j = 0; j < 8; ++j) acc[i][j] = 0.f;

    int a_row = tid / 2, a_col = (tid % 2) * 4;       // 128 x 8
    int b_row = tid / 32, b_col = (tid % 32) * 4;     // 8 x 128
    const float* Ap = A + (size_t)(bm * BM + a_row) * N + a_col;
    const float* Bp = B + (size_t)b_row * N + bn * BN + b_col;

    float4 a = *reinterpret_cast<const float4*>(Ap);
    float4 b = *reinterpret_cast<const float4*>(Bp);
    As[0][a_col + 0][a_row] = a.x; As[0][a_col + 1][a_row] = a.y;
    As[0][a_col + 2][a_row] = a.z; As[0][a_col + 3][a_row] = a.w;
    *reinterpret_cast<float4*>(&Bs[0][b_row][b_col]) = b;
    __syncthreads();

    int buf = 0;
    for (int k0 = 0; k0 < N; k0 += BK) {
        bool more = k0 + BK < N;
        if (more) {
            a = *reinterpret_cast<const float4*>(Ap + k0 + BK);
            b = *reinterpret_cast<const float4*>(Bp + (size_t)(k0 + BK) * N);
        }
        #pragma unroll
        for (int k = 0; k < BK; ++k) {
            float ra[8], rb[8];
            *reinterpret_cast<float4*>(ra)     = *reinterpret_cast<const float4*>(&As[buf][k][ty * 4]);
            *reinterpret_cast<float4*>(ra + 4) = *reinterpret_cast<const float4*>(&As[buf][k][64 + ty * 4]);
            *reinterpret_cast<float4*>(rb)     = *reinterpret_cast<const float4*>(&Bs[buf][k][tx * 4]);
            *reinterpret_cast<float4*>(rb + 4) = *reinterpret_cast<const float4*>(&Bs[buf][k][64 + tx * 4]);
            #pragma unroll
            for (int i = 0; i < 8; ++i)
                #pragma unroll
                for (int j = 0; j < 8; ++j) acc[i][j] = fmaf(ra[i], rb[j], acc[i][j]);
        }
        if (more) {
            int nb = buf ^ 1;
            As[nb][a_col + 0][a_row] = a.x; As[nb][a_col + 1][a_row] = a.y;
            As[nb][a_col + 2][a_row] = a.z; As[nb][a_col + 3][a_row] = a.w;
            *reinterpret_cast<float4*>(&Bs[nb][b_row][b_col]) = b;
            __syncthreads();
            buf = nb;
        }
    }
    #pragma unroll
    for (int i = 0; i < 8; ++i) {
        int r = bm * BM + (i < 4 ? ty * 4 + i : 64 + ty * 4 + i - 4);
        #pragma unroll
        for (int h = 0; h < 2; ++h) {
            int c = bn * BN + h * 64 + tx * 4;
            float4 v;
            v.x = (c + 0 <= r) ? acc[i][h * 4 + 0] : 0.f;
            v.y = (c + 1 <= r) ? acc[i][h * 4 + 1] : 0.f;
            v.z = (c + 2 <= r) ? acc[i][h * 4 + 2] : 0.f;
            v.w = (c + 3 <= r) ? acc[i][h * 4 + 3] : 0.f;
            *reinterpret_cast<float4*>(C + (size_t)r * N + c) = v;
        }
    }
}

// host
torch::Tensor tril_matmul(torch::Tensor A, torch::Tensor B) {
    A = A.contiguous();
    B = B.contiguous();
    int N = A.size(0);
    auto C = torch::empty_like(A);
    dim3 grid(N / BN, N / BM);
    tril_sgemm<<<grid, 256, 0, at::cuda::getCurrentCUDAStream()>>>(A.data_ptr<float>(), B.data_ptr<float>(), C.data_ptr<float>(), N);
    return C;
}
'''

ext = load_inline(name="kernelbench_tril_sgemm", cpp_sources="torch::Tensor tril_matmul(torch::Tensor A, torch::Tensor B);",
                  cuda_sources=cuda_src, functions=["tril_matmul"], extra_cuda_cflags=["-O3"])


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, A, B):
        n = A.shape[0]
        if A.shape != B.shape or A.shape[1] != n or n % 128 != 0 or A.dtype != torch.float32:
            return torch.tril(torch.matmul(A, B))
        return ext.tril_matmul(A, B)
