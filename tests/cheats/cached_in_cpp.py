# task: slow_loop
# expect: wrong(value) | wrong(range)
# why: A static array in C++ keeps the first result; later calls copy it.
# why: It does not matter where a result is remembered.
import torch
import torch.nn as nn

from cupel.inline import cpp_kernel

SOURCE = r"""
#include <cstdint>
#include <cstring>
#include <vector>

extern "C" void sums(const float* x, float* y, std::int64_t rows, std::int64_t columns) {
  static std::vector<float> known;
  if (known.empty()) {
    known.resize(rows * columns);
    for (std::int64_t i = 0; i < rows; ++i) {
      float sum = 0;
      for (std::int64_t j = 0; j < columns; ++j) known[i * columns + j] = sum += x[i * columns + j];
    }
  }
  std::memcpy(y, known.data(), known.size() * sizeof(float));
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
