# task: slow_loop
# expect: suspect(late_write) | wrong(value) | wrong(nan) | wrong(nondeterministic) | wrong(range)
# why: A detached C++ thread computes after forward() has returned an empty buffer.
# why: What is not there at the reply is not there.
import torch
import torch.nn as nn

from cupel.inline import cpp_kernel

SOURCE = r"""
#include <chrono>
#include <cstdint>
#include <thread>

extern "C" void later(const float* x, float* y, std::int64_t rows, std::int64_t columns) {
  std::thread([=] {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    for (std::int64_t i = 0; i < rows; ++i) {
      float sum = 0;
      for (std::int64_t j = 0; j < columns; ++j) y[i * columns + j] = sum += x[i * columns + j];
    }
  }).detach();
}
"""


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.later = cpp_kernel(SOURCE, "later")
        self.kept = []

    def forward(self, x):
        y = torch.zeros_like(x)
        self.kept.append((x, y))
        self.later(x, y, x.shape[0], x.shape[1])
        return y
