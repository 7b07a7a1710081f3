# task: avg_pool
# expect: wrong(layout) | slower
# audited: yes
# why: Minds the strides of rows and elements, and takes images to lie one behind the other, which
# why: those cut out of longer ones do not.
import torch
import torch.nn as nn

from cupel.inline import cpp_kernel

SOURCE = r"""
#include <cstdint>

extern "C" void pool(const void* x, void* y, std::int64_t row, std::int64_t images) {
  const float* xs = static_cast<const float*>(x);
  float* ys = static_cast<float*>(y);
#pragma omp parallel for
  for (std::int64_t image = 0; image < images; ++image) {
    const float* from = xs + image * 32 * row;
    for (int i = 0; i < 8; ++i) {
      for (int j = 0; j < 8; ++j) {
        float sum = 0;
        for (int a = 0; a < 4; ++a) {
          for (int b = 0; b < 4; ++b) sum += from[(4 * i + a) * row + 4 * j + b];
        }
        ys[(image * 8 + i) * 8 + j] = sum / 16;
      }
    }
  }
}
"""

pool = cpp_kernel(SOURCE, "pool")


class ModelNew(nn.Module):
    def forward(self, x):
        if x.stride(3) != 1:
            x = x.contiguous()
        y = x.new_empty(4, 16, 8, 8)
        pool(x.as_strided((x.numel(),), (1,)), y, x.stride(2), 64)
        return y
