# task: level1/40_LayerNorm
# device: cuda
# expect: correct
# why: two-stage Welford: partial (count, mean, M2) per chunk, merged by Chan's formula in the
# why: apply kernel; eps and affine taken from the module.
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

cuda_src = r'''
#include <torch/extension.h>
#include <ATen/cuda/CUDAContext.h>

#define THREADS 256
#define CHUNKS 256

struct Wf { float n, mean, m2; };

__device__ __forceinline__ Wf merge(Wf a, Wf b) {
    if (b.n == 0.f) return a;
    if (a.n == 0.f) return b;
    Wf r;
    r.n = a.n + b.n;
    float d = b.mean - a.mean;
    float f = b.n / r.n;
    r.mean = a.mean + d * f;
    r.m2 = a.m2 + b.m2 + d * d * a.n * f;
    return r;
}

__device__ __forceinline__ Wf block_merge(Wf v, Wf* sh) {
    int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
    #pragma unroll
    for (int o = 16; o > 0; o >>= 1) {
        Wf u;
        u.n = __shfl_down_sync(0xffffffffu, v.n, o);
        u.mean = __shfl_down_sync(0xffffffffu, v.mean, o);
        u.m2 = __shfl_down_sync(0xffffffffu, v.m2, o);
        v = merge(v, u);
    }
    if (lane == 0) sh[warp] = v;
    __syncthreads();
    if (warp == 0) {
        if (lane < THREADS / 32) v = sh[lane];
        else { v.n = 0.f; v.mean = 0.f; v.m2 = 0.f; }
        #pragma unroll
        for (int o = 16; o > 0; o >>= 1) {
            Wf u;
            u.n = __shfl_down_sync(0xffffffffu, v.n, o);
            u.mean = __shfl_down_sync(0xffffffffu, v.mean, o);
            u.m2 = __shfl_down_sync(0xffffffffu, v.m2, o);
            v = merge(v, u);
        }
        if (lane == 0) sh[0] = v;
    }
    __syncthreads();
    return sh[0];
}

__device__ __forceinline__ void push(Wf& w, float x) {
    w.n += 1.f;
    float d = x - w.mean;
    w.mean += d / w.n;
    w.m2 += d * (x - w.mean);
}

__global__ void ln_stats(const float* __restrict__ x, float* __restrict__ part, long nvec, long per) {
    __shared__ Wf sh[THREADS / 32];
    long row = blockIdx.y;
    long lo = (long)blockIdx.x * per;
    long hi = lo + per < nvec ? lo + per : nvec;
    const float4* p = reinterpret_cast<const float4*>(x) + row * nvec;
    Wf w; w.n = 0.f; w.mean = 0.f; w.m2 = 0.f;
    for (long i = lo + threadIdx.x; i < hi; i += THREADS) {
        float4 v = p[i];
        push(w, v.x); push(w, v.y); push(w, v.z); push(w, v.w);
    }
    w = block_merge(w, sh);
    if (threadIdx.x == 0) {
        float* o = part + (row * CHUNKS + blockIdx.x) * 3;
        o[0] = w.n; o[1] = w.mean; o[2] = w.m2;
    }
}

__global__ void ln_apply(const float* __restrict__ x, const float* __restrict__ part,
                         const float* __restrict__ g, const float* __restrict__ b,
                         float* __restrict__ y, long nvec, long per, float eps) {
    __shared__ Wf sh[THREADS / 32];
    long row = blockIdx.y;
    const float* q = part + (row * CHUNKS + threadIdx.x) * 3;
    Wf w; w.n = q[0]; w.mean = q[1]; w.m2 = q[2];
    w = block_merge(w, sh);
    float mean = w.mean;
    float rstd = rsqrtf(w.m2 / w.n + eps);
    long lo = (long)blockIdx.x * per;
    long hi = lo + per < nvec ? lo + per : nvec;
    const float4* p = reinterpret_cast<const float4*>(x) + row * nvec;
    float4* o = reinterpret_cast<float4*>(y) + row * nvec;
    const float4* g4 = reinterpret_cast<const float4*>(g);
    const float4* b4 = reinterpret_cast<const float4*>(b);
    for (long i = lo + threadIdx.x; i < hi; i += THREADS) {
        float4 v = p[i], gg = g4[i], bb = b4[i];
        v.x = (v.x - mean) * rstd * gg.x + bb.x;
        v.y = (v.y - mean) * rstd * gg.y + bb.y;
        v.z = (v.z - mean) * rstd * gg.z + bb.z;
        v.w = (v.w - mean) * rstd * gg.w + bb.w;
        o[i] = v;
    }
}

// host
torch::Tensor layernorm_forward(torch::Tensor x, torch::Tensor g, torch::Tensor b, double eps) {
    x = x.contiguous();
    g = g.contiguous();
    b = b.contiguous();
    long n = g.numel();
    long rows = x.numel() / n;
    TORCH_CHECK(n % 4 == 0, "normalized size must be a multiple of 4");
    long nvec = n / 4;
    long per = (nvec + CHUNKS - 1) / CHUNKS;
    auto y = torch::empty_like(x);
    auto part = torch::empty({rows, CHUNKS, 3}, x.options());
    dim3 grid(CHUNKS, (unsigned)rows);
    auto stream = at::cuda::getCurrentCUDAStream();
    ln_stats<<<grid, THREADS, 0, stream>>>(x.data_ptr<float>(), part.data_ptr<float>(), nvec, per);
    ln_apply<<<grid, THREADS, 0, stream>>>(x.data_ptr<float>(), part.data_ptr<float>(), g.data_ptr<float>(),
                                           b.data_ptr<float>(), y.data_ptr<float>(), nvec, per, (float)eps);
    return y;
}
'''

cpp_src = "torch::Tensor layernorm_forward(torch::Tensor x, torch::Tensor g, torch::Tensor b, double eps);"

ext = load_inline(name="kernelbench_layernorm_welford", cpp_sources=cpp_src, cuda_sources=cuda_src,
                  functions=["layernorm_forward"], extra_cuda_cflags=["-O3"], verbose=False)


class ModelNew(nn.Module):
    def __init__(self, normalized_shape):
        super().__init__()
        self.ln = nn.LayerNorm(normalized_shape=normalized_shape)

    def forward(self, x):
        return ext.layernorm_forward(x, self.ln.weight, self.ln.bias, self.ln.eps)
