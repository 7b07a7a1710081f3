"""Candidates that bring CUDA kernels, judged: by cuda_kernel and by load_inline."""

import unittest

from gpu_machine import judge, needs_binary, needs_gpu

MODULE = """

class ModelNew(torch.nn.Module):
    def __init__(self, channels):
        super().__init__()
        self.bias = torch.nn.Parameter(0.5 * torch.randn(channels))
        self.slope = torch.nn.Parameter(0.5 + torch.rand(channels))

    def forward(self, x, gate):
        {forward}
"""
ARITHMETIC = """
__device__ float mish(float v) { return v * tanhf(v > 20.0f ? v : log1pf(expf(v))); }
__device__ float one(float x, float gate, float bias, float slope) {
  return mish(x + bias) * tanhf(mish(gate * slope)) + x;
}
"""
NVRTC = '''
import torch
from cupel.inline import cuda_kernel

kernel = cuda_kernel(r"""
{arithmetic}
extern "C" __global__ void mish_gate(const float4* x, const float4* gate, const float4* bias,
                                     const float4* slope, float4* y, int64_t n, int columns) {
  int64_t i = blockIdx.x * int64_t(blockDim.x) + threadIdx.x;
  if (i >= n) return;
  float4 p = x[i], q = gate[i], b = bias[i % columns], s = slope[i % columns];
  y[i] = make_float4(one(p.x, q.x, b.x, s.x), one(p.y, q.y, b.y, s.y),
                     one(p.z, q.z, b.z, s.z), one(p.w, q.w, b.w, s.w));
}""", "mish_gate")
'''.replace("{arithmetic}", ARITHMETIC) + MODULE.format(forward="""y = torch.empty_like(x)
        n = x.numel() // 4
        kernel(x, gate, self.bias, self.slope, y, n, x.shape[1] // 4, grid=(n + 127) // 128,
               block=128)
        return y""")
EXTENSION = '''
import torch
from torch.utils.cpp_extension import load_inline

extension = load_inline("mish_gate", cpp_sources="""
torch::Tensor mish_gate(torch::Tensor x, torch::Tensor gate, torch::Tensor bias,
                        torch::Tensor slope);""", functions=["mish_gate"], cuda_sources=r"""
#include <torch/extension.h>
#include <ATen/cuda/CUDAContext.h>
{arithmetic}
__global__ void kernel(const float* x, const float* gate, const float* bias, const float* slope,
                       float* y, int64_t n, int columns) {
  int64_t i = blockIdx.x * int64_t(blockDim.x) + threadIdx.x;
  if (i < n) y[i] = one(x[i], gate[i], bias[i % columns], slope[i % columns]);
}
torch::Tensor mish_gate(torch::Tensor x, torch::Tensor gate, torch::Tensor bias,
                        torch::Tensor slope) {
  auto y = torch::empty_like(x);
  kernel<<<(x.numel() + 255) / 256, 256, 0, at::cuda::getCurrentCUDAStream()>>>(
      x.data_ptr<float>(), gate.data_ptr<float>(), bias.data_ptr<float>(),
      slope.data_ptr<float>(), y.data_ptr<float>(), x.numel(), x.size(1));
  return y;
}""")
'''.replace("{arithmetic}", ARITHMETIC) + MODULE.format(
    forward="return extension.mish_gate(x, gate, self.bias, self.slope)")


@needs_gpu
@needs_binary
class Kernels(unittest.TestCase):
    def verdict(self, source):
        """The verdict on a candidate of mish_gate; prints one line."""
        document = judge("mish_gate", source)
        print(f"{self.id().split('.')[-1]:44} {document['headline']}")
        return document["verdict"]

    def test_cuda_kernel(self):
        self.assertEqual(self.verdict(NVRTC)["outcome"], "faster")

    def test_cuda_kernel_that_does_not_compile(self):
        verdict = self.verdict(NVRTC.replace("float4 p = x[i]", "float4 p = nothing[i]"))
        self.assertEqual(verdict["outcome"], "build_error")
        self.assertIn('identifier "nothing" is undefined', str(verdict))

    def test_cuda_kernel_that_is_wrong(self):
        verdict = self.verdict(NVRTC.replace("tanhf(mish(", "tanhf(1.01f * mish("))
        self.assertEqual(verdict["outcome"], "wrong")

    def test_load_inline(self):
        self.assertEqual(self.verdict(EXTENSION)["outcome"], "faster")

    def test_load_inline_that_does_not_compile(self):
        verdict = self.verdict(EXTENSION.replace("if (i < n)", "if (i < nothing)"))
        self.assertEqual(verdict["outcome"], "build_error")
        self.assertIn("nothing", str(verdict))


if __name__ == "__main__":
    unittest.main()
