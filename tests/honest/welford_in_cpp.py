# task: layer_norm
# expect: correct
# why: Mean and variance in one pass, by Welford's updates, which lose nothing on shifted data.
import torch
import torch.nn as nn

from cupel.inline import cpp_kernel

SOURCE = r"""
#include <cmath>
#include <cstdint>

extern "C" void normalize(const float* x, const float* weight, const float* bias, float* y,
                          std::int64_t rows, std::int64_t columns, double epsilon) {
  for (std::int64_t i = 0; i < rows; ++i) {
    const float* row = x + i * columns;
    float mean = 0, squares = 0;
    for (std::int64_t j = 0; j < columns; ++j) {
      const float gap = row[j] - mean;
      mean += gap / static_cast<float>(j + 1);
      squares += gap * (row[j] - mean);
    }
    const float scale = 1 / std::sqrt(squares / static_cast<float>(columns) +
                                      static_cast<float>(epsilon));
    for (std::int64_t j = 0; j < columns; ++j) {
      y[i * columns + j] = (row[j] - mean) * scale * weight[j] + bias[j];
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
        x, y = x.contiguous(), torch.empty_like(x, memory_format=torch.contiguous_format)
        normalize(x, self.norm.weight, self.norm.bias, y, x.numel() // x.shape[-1], x.shape[-1],
                  self.norm.eps)
        return y
