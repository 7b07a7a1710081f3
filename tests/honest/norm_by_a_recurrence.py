# task: norm_of_long_rows
# expect: correct
# why: Mean and variance in one pass by Welford's recurrence, which rounds more often than two sums.
import torch
import torch.nn as nn

from cupel.inline import cpp_kernel

SOURCE = r"""
#include <cmath>
#include <cstdint>

extern "C" void normalize(const float* x, const float* weight, const float* bias, float* y,
                          std::int64_t rows, std::int64_t columns, float epsilon) {
  for (std::int64_t r = 0; r < rows; ++r) {
    const float* from = x + r * columns;
    float mean = 0, squares = 0;
    for (std::int64_t i = 0; i < columns; ++i) {
      const float off = from[i] - mean;
      mean += off / static_cast<float>(i + 1);
      squares += off * (from[i] - mean);
    }
    const float scale = 1 / std::sqrt(squares / static_cast<float>(columns) + epsilon);
    for (std::int64_t i = 0; i < columns; ++i) {
      y[r * columns + i] = (from[i] - mean) * scale * weight[i] + bias[i];
    }
  }
}
"""

normalize = cpp_kernel(SOURCE, "normalize")


class ModelNew(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.norm = nn.LayerNorm(width)

    def forward(self, x):
        x = x.contiguous()
        y = torch.empty_like(x)
        norm = self.norm
        normalize(x, norm.weight, norm.bias, y, x.shape[0], x.shape[1], norm.eps)
        return y
