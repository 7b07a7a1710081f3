# task: gated
# expect: correct
# audited: yes
# why: Imports what builds its kernel when it is constructed, by a function, as a file does that can
# why: go without. Its user has that package as well.
import importlib

import torch
import torch.nn as nn

SOURCE = r"""
#include <cmath>
#include <cstdint>

extern "C" void gated(const void* x, const void* gate, void* y, std::int64_t count) {
  const float* xs = static_cast<const float*>(x);
  const float* gs = static_cast<const float*>(gate);
  float* ys = static_cast<float*>(y);
#pragma omp parallel for simd
  for (std::int64_t i = 0; i < count; ++i) ys[i] = xs[i] / (1 + std::exp(-gs[i])) + xs[i];
}
"""


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.gated = importlib.import_module("cupel.inline").cpp_kernel(SOURCE, "gated")

    def forward(self, x, gate):
        x, gate = (tensor.contiguous() for tensor in torch.broadcast_tensors(x, gate))
        y = torch.empty_like(x)
        self.gated(x, gate, y, x.numel())
        return y
