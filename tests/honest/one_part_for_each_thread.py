# task: slow_loop
# expect: faster
# audited: slow
# ratio_min: 2
# why: One part of the rows for each thread that there is.
import torch
import torch.nn as nn

from cupel.inline import cpp_kernel

SOURCE = r"""
#include <cstdint>
#include <omp.h>

extern "C" void sums(const float* x, float* y, std::int64_t rows, std::int64_t columns) {
#pragma omp parallel
  {
    const std::int64_t parts = omp_get_num_threads();
    const std::int64_t part = omp_get_thread_num();
    const std::int64_t first = rows * part / parts, end = rows * (part + 1) / parts;
    for (std::int64_t i = first; i < end && i < rows; ++i) {
      double sum = 0;
      for (std::int64_t j = 0; j < columns; ++j) y[i * columns + j] = sum += x[i * columns + j];
    }
  }
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
