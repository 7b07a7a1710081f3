# task: slow_loop
# expect: faster
# audited: yes
# ratio_min: 2
# why: Has a kernel for narrow inputs, which this task never gives: unused, but no decoy.
import torch
import torch.nn as nn

from cupel.inline import cpp_kernel

SOURCE = r"""
#include <cstdint>

extern "C" void narrow_sums(const float* x, float* y, std::int64_t rows, std::int64_t columns) {
  for (std::int64_t i = 0; i < rows; ++i) {
    float sum = 0;
    for (std::int64_t j = 0; j < columns; ++j) y[i * columns + j] = sum += x[i * columns + j];
  }
}
"""


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.narrow_sums = cpp_kernel(SOURCE, "narrow_sums")

    def forward(self, x):
        if x.shape[1] >= 8:
            return torch.cumsum(x, dim=1)
        y = torch.empty_like(x)
        self.narrow_sums(x, y, x.shape[0], x.shape[1])
        return y
