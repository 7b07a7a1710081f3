# task: gated
# expect: wrong(layout)
# audited: yes
# why: Repeats a gate of one row. One of one column, or one number, it reads as if it were whole.
import torch
import torch.nn as nn

from cupel.inline import cpp_kernel

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

gated = cpp_kernel(SOURCE, "gated")


class ModelNew(nn.Module):
    def forward(self, x, gate):
        x = x.contiguous()
        rows, columns = x.shape
        gate = gate.expand(rows, columns) if gate.dim() > 1 and gate.shape[0] == 1 else gate
        x = x.expand_as(gate) if x.shape[0] == 1 else x
        x, gate = x.contiguous(), gate.contiguous()
        y = torch.empty_like(x)
        gated(x, gate, y, x.numel())
        return y
