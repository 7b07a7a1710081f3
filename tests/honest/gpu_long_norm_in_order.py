# task: long_norm
# device: cuda
# expect: correct
# why: One thread a group adds up 16,384 values and as many squares one after the other.
import torch
import torch.nn as nn

from cupel.inline import cuda_kernel

SOURCE = r"""
extern "C" __global__ void normalize(const float* x, const float* weight, const float* bias,
                                     float* y, int64_t groups, int64_t per_item, int64_t channels,
                                     int64_t places, float epsilon) {
  const int64_t group = threadIdx.x, count = channels * places;
  if (group >= groups) return;
  const float* from = x + group * count;
  float* to = y + group * count;
  float sum = 0, squares = 0;
  for (int64_t i = 0; i < count; ++i) sum += from[i];
  const float mean = sum / count;
  for (int64_t i = 0; i < count; ++i) squares += (from[i] - mean) * (from[i] - mean);
  const float scale = 1 / sqrtf(squares / count + epsilon);
  for (int64_t i = 0; i < count; ++i) {
    const int64_t channel = group % per_item * channels + i / places;
    to[i] = (from[i] - mean) * scale * weight[channel] + bias[channel];
  }
}
"""


class ModelNew(nn.Module):
    def __init__(self, channels, groups):
        super().__init__()
        self.norm = nn.GroupNorm(groups, channels)
        self.normalize = cuda_kernel(SOURCE, "normalize")

    def forward(self, x):
        x = x.contiguous()
        y = torch.empty_like(x)
        per_item, channels = self.norm.num_groups, x.shape[1] // self.norm.num_groups
        groups = x.shape[0] * per_item
        self.normalize(x, self.norm.weight, self.norm.bias, y, groups, per_item, channels,
                       x.shape[2] * x.shape[3], self.norm.eps, grid=1, block=groups)
        return y
