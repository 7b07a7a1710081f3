# task: slow_loop
# expect: faster
# ratio_min: 4
# why: Compiles its kernel on a thread, serves calls by torch until it is there, and changes over.
# why: Nothing that it returns is ever unfinished.
import threading

import torch
import torch.nn as nn

from cupel.inline import BuildError, cpp_kernel

SOURCE = r"""
#include <cstdint>

extern "C" void sums(const float* x, float* y, std::int64_t rows, std::int64_t columns) {
  for (std::int64_t i = 0; i < rows; ++i) {
    double sum = 0;
    for (std::int64_t j = 0; j < columns; ++j) y[i * columns + j] = sum += x[i * columns + j];
  }
}
"""


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.kernel = None
        threading.Thread(target=self.build, daemon=True).start()

    def build(self):
        try:
            self.kernel = cpp_kernel(SOURCE, "sums")
        except BuildError:
            pass

    def forward(self, x):
        if self.kernel is None:
            return torch.cumsum(x, dim=1)
        y = torch.empty_like(x)
        self.kernel(x, y, x.shape[0], x.shape[1])
        return y
