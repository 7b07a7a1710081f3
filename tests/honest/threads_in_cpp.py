# task: hardtanh
# expect: correct
# why: A kernel that starts and joins threads of its own.
import torch
import torch.nn as nn

from cupel.inline import cpp_kernel

SOURCE = r"""
#include <algorithm>
#include <cstdint>
#include <thread>
#include <vector>

extern "C" void clip(const float* x, float* y, std::int64_t n) {
  std::vector<std::thread> threads;
  for (int part = 0; part < 2; ++part) {
    threads.emplace_back([=] {
      for (std::int64_t i = n * part / 2; i < n * (part + 1) / 2; ++i)
        y[i] = std::clamp(x[i], -1.0f, 1.0f);
    });
  }
  for (std::thread& thread : threads) thread.join();
}
"""

clip = cpp_kernel(SOURCE, "clip")


class ModelNew(nn.Module):
    def forward(self, x):
        x = x.contiguous()
        y = torch.empty_like(x)
        clip(x, y, x.numel())
        return y
