# task: softmax_rows
# device: cuda
# expect: correct
# why: A CUDA kernel of its own for the scaling.
import torch
import torch.nn as nn


from cupel.inline import cuda_kernel

SOURCE = r"""
extern "C" __global__ void scale(const float* x, float* y, int64_t n, float by) {
  int64_t i = blockIdx.x * int64_t(blockDim.x) + threadIdx.x;
  if (i < n) y[i] = by * x[i];
}
"""


class ModelNew(nn.Module):
    def __init__(self, temperature):
        super().__init__()
        self.temperature = temperature
        self.scale = cuda_kernel(SOURCE, "scale")

    def forward(self, x):
        y = torch.empty_like(x)
        self.scale(x, y, x.numel(), 1 / self.temperature, grid=(x.numel() + 255) // 256, block=256)
        return torch.softmax(y, dim=1)
