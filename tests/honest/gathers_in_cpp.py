# task: integer_ids
# expect: faster | ambiguous
# why: A kernel that reads integer inputs. It gains 4 us a call, which not every machine can show.
import torch
import torch.nn as nn

from cupel.inline import cpp_kernel

SOURCE = r"""
#include <cstdint>

extern "C" void bag(const float* table, const std::int64_t* ids, float* y, std::int64_t bags,
                    std::int64_t per_bag, std::int64_t width) {
  for (std::int64_t bag = 0; bag < bags; ++bag) {
    float* out = y + bag * width;
    for (std::int64_t i = 0; i < width; ++i) out[i] = 0;
    for (std::int64_t j = 0; j < per_bag; ++j) {
      const float* row = table + ids[bag * per_bag + j] * width;
      for (std::int64_t i = 0; i < width; ++i) out[i] += row[i];
    }
  }
}
"""

bag = cpp_kernel(SOURCE, "bag")


class ModelNew(nn.Module):
    def __init__(self, rows, width):
        super().__init__()
        self.table = nn.Embedding(rows, width)

    def forward(self, ids):
        y = torch.empty(ids.shape[0], self.table.weight.shape[1])
        bag(self.table.weight.detach(), ids.contiguous(), y, *ids.shape, y.shape[1])
        return y
