# task: level1/98_KLDivLoss
# device: cuda
# expect: correct
# why: log, xlogy and the sum fused into one streaming kernel with double partials, second kernel
# why: divides by the batch.
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

source = r'''
#include <torch/extension.h>
#include <ATen/cuda/CUDAContext.h>

__device__ __forceinline__ float kl_term(float p, float t) {
    float xlogy = (t == 0.0f) ? 0.0f : t * logf(t);
    return xlogy - t * logf(p);
}

__global__ void kl_partial(const float* __restrict__ p, const float* __restrict__ t,
                           double* __restrict__ part, long n) {
    __shared__ double sh[8];
    long n4 = n / 4;
    long stride = (long)gridDim.x * blockDim.x;
    long tid = (long)blockIdx.x * blockDim.x + threadIdx.x;
    const float4* p4 = (const float4*)p;
    const float4* t4 = (const float4*)t;
    double acc = 0.0;
    for (long i = tid; i < n4; i += stride) {
        float4 a = p4[i], b = t4[i];
        float s = (kl_term(a.x, b.x) + kl_term(a.y, b.y)) + (kl_term(a.z, b.z) + kl_term(a.w, b.w));
        acc += (double)s;
    }
    for (long i = n4 * 4 + tid; i < n; i += stride) acc += (double)kl_term(p[i], t[i]);
    for (int o = 16; o > 0; o >>= 1) acc += __shfl_down_sync(0xffffffffu, acc, o);
    if ((threadIdx.x & 31) == 0) sh[threadIdx.x >> 5] = acc;
    __syncthreads();
    if (threadIdx.x == 0) {
        double s = 0.0;
        for (int i = 0; i < blockDim.x / 32; ++i) s += sh[i];
        part[blockIdx.x] = s;
    }
}

__global__ void kl_final(const double* __restrict__ part, float* __restrict__ out, int n, double scale) {
    __shared__ double sh[256];
    double a = 0.0;
    for (int i = threadIdx.x; i < n; i += 256) a += part[i];
    sh[threadIdx.x] = a;
    __syncthreads();
    for (int s = 128; s > 0; s >>= 1) {
        if (threadIdx.x < s) sh[threadIdx.x] += sh[threadIdx.x + s];
        __syncthreads();
    }
    if (threadIdx.x == 0) out[0] = (float)(sh[0] * scale);
}

// host
torch::Tensor kl_div_cuda(torch::Tensor p, torch::Tensor t) {
    p = p.contiguous();
    t = t.contiguous();
    TORCH_CHECK(p.numel() == t.numel(), "shape mismatch");
    const int blocks = 132 * 8;
    auto part = torch::empty({blocks}, p.options().dtype(torch::kFloat64));
    auto out = torch::empty({}, p.options());
    auto stream = at::cuda::getCurrentCUDAStream();
    kl_partial<<<blocks, 256, 0, stream>>>(p.data_ptr<float>(), t.data_ptr<float>(), part.data_ptr<double>(), p.numel());
    kl_final<<<1, 256, 0, stream>>>(part.data_ptr<double>(), out.data_ptr<float>(), blocks, 1.0 / (double)p.size(0));
    return out;
}
'''

kl = load_inline(
    name="kernelbench_kldiv_twostage",
    cpp_sources="torch::Tensor kl_div_cuda(torch::Tensor p, torch::Tensor t);",
    cuda_sources=source,
    functions=["kl_div_cuda"],
    verbose=False,
)


class ModelNew(nn.Module):
    def __init__(self):
        super(ModelNew, self).__init__()
        self.kl = kl

    def forward(self, predictions, targets):
        return self.kl.kl_div_cuda(predictions, targets)
