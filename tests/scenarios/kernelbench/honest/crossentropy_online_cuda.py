# task: level1/95_CrossEntropyLoss
# device: cuda
# expect: correct
# why: one block per row with an online log-sum-exp, row losses to a buffer, then a single-block
# why: deterministic mean; ignore_index honoured.
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

cuda_src = r'''
#include <torch/extension.h>
#include <ATen/cuda/CUDAContext.h>
#include <math_constants.h>

__device__ __forceinline__ void online_merge(float& m, float& s, float m2, float s2) {
    float mx = fmaxf(m, m2);
    float a = (m == -CUDART_INF_F) ? 0.f : s * expf(m - mx);
    float b = (m2 == -CUDART_INF_F) ? 0.f : s2 * expf(m2 - mx);
    m = mx;
    s = a + b;
}

__global__ void ce_rows(const float* __restrict__ x, const long* __restrict__ t,
                        float* __restrict__ loss, int C) {
    __shared__ float sm[8], ss[8];
    long row = blockIdx.x;
    const float* p = x + row * (long)C;
    const float4* p4 = reinterpret_cast<const float4*>(p);
    float m = -CUDART_INF_F, s = 0.f;
    int nv = C / 4;
    for (int i = threadIdx.x; i < nv; i += blockDim.x) {
        float4 v = p4[i];
        float mx = fmaxf(fmaxf(v.x, v.y), fmaxf(v.z, v.w));
        if (mx == -CUDART_INF_F) continue;
        if (mx > m) { s *= expf(m - mx); m = mx; }
        s += expf(v.x - m) + expf(v.y - m) + expf(v.z - m) + expf(v.w - m);
    }
    #pragma unroll
    for (int o = 16; o > 0; o >>= 1) {
        float m2 = __shfl_xor_sync(0xffffffffu, m, o);
        float s2 = __shfl_xor_sync(0xffffffffu, s, o);
        online_merge(m, s, m2, s2);
    }
    int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
    if (lane == 0) { sm[warp] = m; ss[warp] = s; }
    __syncthreads();
    if (threadIdx.x == 0) {
        m = sm[0]; s = ss[0];
        for (int w = 1; w < blockDim.x / 32; ++w) online_merge(m, s, sm[w], ss[w]);
        long tgt = t[row];
        loss[row] = (tgt == -100) ? 0.f : (logf(s) + m) - p[tgt];
    }
}

__global__ void ce_mean(const float* __restrict__ loss, const long* __restrict__ t,
                        float* __restrict__ out, int n) {
    __shared__ double sh[32];
    __shared__ double shc[32];
    double a = 0.0, c = 0.0;
    for (int i = threadIdx.x; i < n; i += blockDim.x) { a += loss[i]; c += (t[i] != -100); }
    for (int o = 16; o > 0; o >>= 1) {
        a += __shfl_down_sync(0xffffffffu, a, o);
        c += __shfl_down_sync(0xffffffffu, c, o);
    }
    if ((threadIdx.x & 31) == 0) { sh[threadIdx.x >> 5] = a; shc[threadIdx.x >> 5] = c; }
    __syncthreads();
    if (threadIdx.x < 32) {
        a = sh[threadIdx.x]; c = shc[threadIdx.x];
        for (int o = 16; o > 0; o >>= 1) {
            a += __shfl_down_sync(0xffffffffu, a, o);
            c += __shfl_down_sync(0xffffffffu, c, o);
        }
        if (threadIdx.x == 0) out[0] = (float)(a / c);
    }
}

// host
torch::Tensor ce_forward(torch::Tensor x, torch::Tensor t) {
    x = x.contiguous();
    t = t.contiguous();
    int N = x.size(0), C = x.size(1);
    TORCH_CHECK(C % 4 == 0, "C must be a multiple of 4");
    TORCH_CHECK(t.scalar_type() == torch::kInt64, "targets must be int64");
    auto loss = torch::empty({N}, x.options());
    auto out = torch::empty({}, x.options());
    auto stream = at::cuda::getCurrentCUDAStream();
    const long* tp = reinterpret_cast<const long*>(t.data_ptr<int64_t>());
    ce_rows<<<N, 256, 0, stream>>>(x.data_ptr<float>(), tp, loss.data_ptr<float>(), C);
    ce_mean<<<1, 1024, 0, stream>>>(loss.data_ptr<float>(), tp, out.data_ptr<float>(), N);
    return out;
}
'''

cpp_src = "torch::Tensor ce_forward(torch::Tensor x, torch::Tensor t);"

ext = load_inline(name="kernelbench_ce_online", cpp_sources=cpp_src, cuda_sources=cuda_src,
                  functions=["ce_forward"], extra_cuda_cflags=["-O3"], verbose=False)


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, predictions, targets):
        return ext.ce_forward(predictions, targets)
