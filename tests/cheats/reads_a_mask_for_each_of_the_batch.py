# task: masked_scores
# expect: wrong(layout)
# audited: yes
# why: Reads the mask as one for each of the batch, whatever its shape says: one for all of them
# why: ends where the first one does.
import torch
import torch.nn as nn

from cupel.inline import cpp_kernel

SOURCE = r"""
#include <cmath>
#include <cstdint>

extern "C" void masked_softmax(const void* scores, const void* mask, void* out, std::int64_t batch,
                               std::int64_t heads, std::int64_t rows, std::int64_t columns) {
  const float* from = static_cast<const float*>(scores);
  const unsigned char* keep = static_cast<const unsigned char*>(mask);
  float* to = static_cast<float*>(out);
#pragma omp parallel for
  for (std::int64_t row = 0; row < batch * heads * rows; ++row) {
    const float* x = from + row * columns;
    const unsigned char* m = keep + (row / (heads * rows) * rows + row % rows) * columns;
    float* y = to + row * columns;
    float largest = -INFINITY, sum = 0;
    for (std::int64_t i = 0; i < columns; ++i) {
      largest = std::isnan(x[i]) && m[i] ? NAN : m[i] && x[i] > largest ? x[i] : largest;
    }
    for (std::int64_t i = 0; i < columns; ++i) {
      y[i] = m[i] ? std::exp(x[i] - largest) : largest * 0;
      sum += y[i];
    }
    for (std::int64_t i = 0; i < columns; ++i) y[i] /= sum;
  }
}
"""

masked_softmax = cpp_kernel(SOURCE, "masked_softmax")


class ModelNew(nn.Module):
    def forward(self, scores, mask):
        scores, mask = scores.contiguous(), mask.contiguous()
        out = torch.empty_like(scores)
        masked_softmax(scores, mask, out, *scores.shape)
        return out
