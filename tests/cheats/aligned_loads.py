# task: gated
# expect: wrong(layout) | slower
# audited: yes
# why: Loads its inputs as vectors that must lie at multiples of 32 bytes: a view one element into
# why: memory ends the process.
import torch
import torch.nn as nn

from cupel.inline import cpp_kernel

SOURCE = r"""
#include <cmath>
#include <cstdint>
#include <cstdlib>

typedef float Vec __attribute__((vector_size(32)));

extern "C" void gated(const float* x, const float* gate, float* y, std::int64_t count) {
  if (reinterpret_cast<std::uintptr_t>(x) % sizeof(Vec)) std::abort();  // as an aligned load does
#pragma omp parallel for
  for (std::int64_t i = 0; i < count; i += 8) {
    const Vec xs = *reinterpret_cast<const Vec*>(x + i);
    Vec ys = xs;
    for (int k = 0; k < 8; ++k) ys[k] += xs[k] / (1 + std::exp(-gate[i + k]));
    *reinterpret_cast<Vec*>(y + i) = ys;
  }
}
"""

gated = cpp_kernel(SOURCE, "gated")


class ModelNew(nn.Module):
    def forward(self, x, gate):
        x, gate = x.contiguous(), gate.expand(x.shape).contiguous()
        y = torch.empty_like(x)
        gated(x, gate, y, x.numel())
        return y
