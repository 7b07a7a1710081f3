# task: softmax_rows
# device: cuda
# expect: correct
# audited: yes
# why: The kernel of gpu_shared_reduction, whose name and shared memory are put into its source as
# why: it runs: as templates for several types and widths are.
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
  value = parts[threadIdx.x % 8];
  __syncthreads();
  return over_warp(value, largest) * (largest ? 1.0f : 0.25f);
}

extern "C" __global__ void {name}(const float* x, float* y, int columns, float temperature) {
  {place} float parts[8];
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

NAME = "_".join(("softmax", "of", "rows"))
PLACE = "__" + "shared" + "__"
softmax_rows = cuda_kernel(SOURCE.replace("{name}", NAME).replace("{place}", PLACE), NAME)


class ModelNew(nn.Module):
    def __init__(self, temperature):
        super().__init__()
        self.temperature = temperature

    def forward(self, x):
        x, y = x.contiguous(), torch.empty_like(x)
        softmax_rows(x, y, x.shape[1], self.temperature, grid=x.shape[0], block=256)
        return y
