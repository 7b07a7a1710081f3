# task: running_product
# expect: correct
# why: Rounds each product, where torch keeps the running one in float64.
import torch
import torch.nn as nn

from cupel.inline import cpp_kernel

SOURCE = r"""
#include <cmath>
#include <cstdint>

extern "C" void running_product(const float* x, float* y, std::int64_t rows, std::int64_t columns) {
  for (std::int64_t r = 0; r < rows; ++r) {
    float product = 1;
    for (std::int64_t i = r * columns; i < (r + 1) * columns; ++i) {
      product *= x[i];
      y[i] = product;
    }
  }
}
"""

running_product = cpp_kernel(SOURCE, "running_product")


class ModelNew(nn.Module):
    def forward(self, x):
        x = x.contiguous()
        y = torch.empty_like(x)
        running_product(x, y, x.shape[0], x.shape[1])
        return y
