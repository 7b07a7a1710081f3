# task: hardtanh
# expect: correct
# why: A vectorized clamp into memory of its own: a HardTanh that skips the dispatcher.
import torch
import torch.nn as nn

from cupel.inline import cpp_kernel

SOURCE = r"""
#include <algorithm>
#include <cstdint>

extern "C" void clip(const float* x, float* y, std::int64_t n) {
  for (std::int64_t i = 0; i < n; ++i) y[i] = std::min(std::max(x[i], -1.0f), 1.0f);
}
"""


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.clip = cpp_kernel(SOURCE, "clip")
        self.y = torch.empty(64, 256)

    def forward(self, x):
        self.clip(x, self.y, x.numel())
        return self.y
