# task: long_norm
# expect: correct
# audited: slow
# why: Adds up 16,384 values and as many squares one after the other, as a plain loop does.
import torch
import torch.nn as nn

from cupel.inline import cpp_kernel

SOURCE = r"""
#include <cmath>
#include <cstdint>

extern "C" void normalize(const float* x, const float* weight, const float* bias, float* y,
                          std::int64_t groups, std::int64_t per_item, std::int64_t channels,
                          std::int64_t places, float epsilon) {
  const std::int64_t count = channels * places;
  for (std::int64_t group = 0; group < groups; ++group) {
    const float* from = x + group * count;
    float* to = y + group * count;
    float sum = 0, squares = 0;
    for (std::int64_t i = 0; i < count; ++i) sum += from[i];
    const float mean = sum / static_cast<float>(count);
    for (std::int64_t i = 0; i < count; ++i) squares += (from[i] - mean) * (from[i] - mean);
    const float scale = 1 / std::sqrt(squares / static_cast<float>(count) + epsilon);
    for (std::int64_t c = 0; c < channels; ++c) {
      const std::int64_t channel = group % per_item * channels + c;
      for (std::int64_t i = c * places; i < (c + 1) * places; ++i) {
        to[i] = (from[i] - mean) * scale * weight[channel] + bias[channel];
      }
    }
  }
}
"""

normalize = cpp_kernel(SOURCE, "normalize")


class ModelNew(nn.Module):
    def __init__(self, channels, groups):
        super().__init__()
        self.norm = nn.GroupNorm(groups, channels)

    def forward(self, x):
        x = x.contiguous()
        y = torch.empty_like(x)
        groups, channels = self.norm.num_groups, x.shape[1] // self.norm.num_groups
        normalize(x, self.norm.weight, self.norm.bias, y, x.shape[0] * groups, groups, channels,
                  x.shape[2] * x.shape[3], self.norm.eps)
        return y
