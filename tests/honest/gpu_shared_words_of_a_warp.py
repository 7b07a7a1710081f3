# task: softmax_rows
# device: cuda
# expect: correct
# audited: yes
# why: Within a warp parts go through shared memory with the warp's own barrier; a row is a warp's.
import torch
import torch.nn as nn

from cupel.inline import cuda_kernel

SOURCE = r"""
extern "C" __global__ void softmax_rows(const float* x, float* y, int rows, int columns,
                                        float temperature) {
  __shared__ float words[8][32];
  float* mine = words[threadIdx.x / 32];
  const int lane = threadIdx.x % 32, at = blockIdx.x * 8 + threadIdx.x / 32;
  if (at >= rows) return;
  const float* row = x + (long long)at * columns;
  float* out = y + (long long)at * columns;
  float most = -INFINITY, sum = 0;
  for (int i = lane; i < columns; i += 32) most = fmaxf(most, row[i] / temperature);
  mine[lane] = most;
  __syncwarp();
  for (int i = 0; i < 32; ++i) most = fmaxf(most, mine[i]);
  __syncwarp();
  for (int i = lane; i < columns; i += 32) sum += expf(row[i] / temperature - most);
  mine[lane] = sum;
  __syncwarp();
  sum = 0;
  for (int i = 0; i < 32; ++i) sum += mine[i];
  for (int i = lane; i < columns; i += 32) out[i] = expf(row[i] / temperature - most) / sum;
}
"""

softmax_rows = cuda_kernel(SOURCE, "softmax_rows")


class ModelNew(nn.Module):
    def __init__(self, temperature):
        super().__init__()
        self.temperature = temperature

    def forward(self, x):
        x, y = x.contiguous(), torch.empty_like(x)
        rows, columns = x.shape
        softmax_rows(x, y, rows, columns, self.temperature, grid=-(-rows // 8), block=256)
        return y
