# task: layer_scale
# expect: correct
# why: What follows a product in one pass over it: bias, scale and residual, in the product's own
# why: memory.
import torch
import torch.nn as nn

from cupel.inline import cpp_kernel

SOURCE = r"""
#include <cstdint>

extern "C" void finish(const float* x, const float* bias, const float* gamma, float* y,
                       std::int64_t rows, std::int64_t columns) {
  for (std::int64_t i = 0; i < rows; ++i) {
    for (std::int64_t j = 0; j < columns; ++j) {
      float& value = y[i * columns + j];
      value = x[i * columns + j] + gamma[j] * (value + bias[j]);
    }
  }
}
"""

finish = cpp_kernel(SOURCE, "finish")


class ModelNew(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.into, self.out = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)
        self.gamma = nn.Parameter(1e-6 * torch.ones(width))

    def forward(self, x):
        y = torch.relu_(self.into(x)) @ self.out.weight.t()
        finish(x.contiguous(), self.out.bias, self.gamma, y, x.shape[0], x.shape[1])
        return y
