# task: scaled_hardtanh
# expect: faster
# ratio_min: 1.2
# audited: slow
# why: A HardTanh that is really faster: it reads and writes memory once, where the reference does
# why: so three times.
import torch
import torch.nn as nn

from cupel.inline import cpp_kernel

SOURCE = r"""
#include <algorithm>
#include <cstdint>

extern "C" void clip(const float* x, const float* scale, const float* shift, float* y,
                     std::int64_t rows, std::int64_t width) {
  for (std::int64_t row = 0; row < rows; ++row) {
    for (std::int64_t i = 0; i < width; ++i) {
      const float value = scale[i] * x[row * width + i] + shift[i];
      y[row * width + i] = std::min(std::max(value, -1.0f), 1.0f);
    }
  }
}
"""


class ModelNew(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.clip = cpp_kernel(SOURCE, "clip")
        self.scale = nn.Parameter(torch.randn(width))
        self.shift = nn.Parameter(torch.randn(width))

    def forward(self, x):
        y = torch.empty_like(x)
        self.clip(x, self.scale.detach(), self.shift.detach(), y, *x.shape)
        return y
