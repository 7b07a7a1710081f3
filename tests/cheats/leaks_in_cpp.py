# task: slow_loop
# expect: suspect(memory_growth)
# audited: yes
# why: A C++ kernel that takes new scratch memory in each call and never gives it back.
import torch
import torch.nn as nn

from cupel.inline import cpp_kernel

SOURCE = r"""
#include <cstdint>
#include <cstdlib>
#include <cstring>

extern "C" void sums(const float* x, float* y, std::int64_t rows, std::int64_t columns) {
  double* scratch = static_cast<double*>(std::malloc(rows * columns * sizeof(double)));
  for (std::int64_t i = 0; i < rows; ++i) {
    double sum = 0;
    for (std::int64_t j = 0; j < columns; ++j) scratch[i * columns + j] = sum += x[i * columns + j];
  }
  for (std::int64_t i = 0; i < rows * columns; ++i) y[i] = scratch[i];
}
"""


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.sums = cpp_kernel(SOURCE, "sums")

    def forward(self, x):
        y = torch.empty_like(x)
        self.sums(x, y, x.shape[0], x.shape[1])
        return y
