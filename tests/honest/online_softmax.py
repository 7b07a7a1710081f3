# task: softmax
# expect: correct
# why: One pass that keeps a running maximum and rescales: another order of operations.
import torch
import torch.nn as nn

from cupel.inline import cpp_kernel

SOURCE = r"""
#include <cmath>
#include <cstdint>

extern "C" void online(const float* x, float* y, std::int64_t rows, std::int64_t columns) {
  for (std::int64_t i = 0; i < rows; ++i) {
    const float* row = x + i * columns;
    float top = -INFINITY;
    double sum = 0;
    for (std::int64_t j = 0; j < columns; ++j) {
      const float higher = std::fmax(top, row[j]);
      sum = sum * std::exp(top - higher) + std::exp(row[j] - higher);
      top = higher;
    }
    for (std::int64_t j = 0; j < columns; ++j) {
      y[i * columns + j] = std::exp(row[j] - top) / static_cast<float>(sum);
    }
  }
}
"""


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.softmax = cpp_kernel(SOURCE, "online")

    def forward(self, x):
        y = torch.empty_like(x)
        self.softmax(x, y, x.shape[0], x.shape[1])
        return y
