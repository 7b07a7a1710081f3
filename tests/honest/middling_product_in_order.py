# task: middling_product
# expect: correct
# why: Adds up 6,000 products one after the other. With trained weights that was off by as much as
# why: is allowed without a look at orders.
import torch
import torch.nn as nn

from cupel.inline import cpp_kernel

SOURCE = r"""
#include <cstdint>

extern "C" void product(const float* x, const float* weight, float* y, std::int64_t rows,
                        std::int64_t terms, std::int64_t columns) {
  for (std::int64_t i = 0; i < rows; ++i) {
    float* to = y + i * columns;
    for (std::int64_t j = 0; j < columns; ++j) to[j] = 0;
    for (std::int64_t k = 0; k < terms; ++k) {
      const float at = x[i * terms + k];
      for (std::int64_t j = 0; j < columns; ++j) to[j] += at * weight[k * columns + j];
    }
  }
}
"""

product = cpp_kernel(SOURCE, "product")


class ModelNew(nn.Module):
    def __init__(self, features, outputs):
        super().__init__()
        self.weight = nn.Parameter(torch.rand(features, outputs) / features)

    def forward(self, x):
        x = torch.relu(x).contiguous()
        y = torch.empty(x.shape[0], self.weight.shape[1])
        product(x, self.weight, y, x.shape[0], x.shape[1], self.weight.shape[1])
        return y
