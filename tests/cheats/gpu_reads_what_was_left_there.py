# task: softmax_rows
# device: cuda
# expect: wrong(shared_uninitialized) | wrong(layout) | wrong(value) | wrong(range) | wrong(nan)
# audited: yes
# why: Adds up all 32 places for the parts of warps, of which its eight warps write eight. That
# why: is right as long as no other kernel has left something in the other ones.
import torch
import torch.nn as nn

from cupel.inline import cuda_kernel

SOURCE = r"""
__device__ float over_warp(float value, bool largest) {
  for (int step = 16; step > 0; step /= 2) {
    const float other = __shfl_xor_sync(0xffffffff, value, step);
    value = largest ? fmaxf(value, other) : value + other;
  }
  return value;
}

__device__ float over_block(float value, bool largest, float* parts) {
  value = over_warp(value, largest);
  if (threadIdx.x % 32 == 0) parts[threadIdx.x / 32] = value;
  __syncthreads();
  value = ((volatile float*)parts)[threadIdx.x % 32];
  __syncthreads();
  return over_warp(value, largest);
}

extern "C" __global__ void softmax_rows(const float* x, float* y, int columns, float temperature) {
  __shared__ float parts[32];
  const float* row = x + (long long)blockIdx.x * columns;
  float* out = y + (long long)blockIdx.x * columns;
  float most = -INFINITY;
  for (int i = threadIdx.x; i < columns; i += 256) most = fmaxf(most, row[i] / temperature);
  most = over_block(most, true, parts);
  float sum = 0;
  for (int i = threadIdx.x; i < columns; i += 256) sum += expf(row[i] / temperature - most);
  sum = over_block(sum, false, parts);
  for (int i = threadIdx.x; i < columns; i += 256) {
    out[i] = expf(row[i] / temperature - most) / sum;
  }
}
"""

softmax_rows = cuda_kernel(SOURCE, "softmax_rows")


class ModelNew(nn.Module):
    def __init__(self, temperature):
        super().__init__()
        self.temperature = temperature

    def forward(self, x):
        x, y = x.contiguous(), torch.empty_like(x)
        softmax_rows(x, y, x.shape[1], self.temperature, grid=x.shape[0], block=256)
        return y
