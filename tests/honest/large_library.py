# task: softmax
# expect: correct
# why: Builds a library with a table of 24 MB in it, which is much and not too much.
import torch
import torch.nn as nn

from cupel.inline import cpp_kernel

SOURCE = r"""
#include <cstdint>
asm(".pushsection .data\n.globl table\ntable:\n.fill 24000000, 1, 1\n.popsection\n");
extern "C" const char table[];
extern "C" std::int64_t sum(std::int64_t step) {
  std::int64_t total = 0;
  for (std::int64_t i = 0; i < 24000000; i += step) total += table[i];
  return total;
}
"""


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.scale = cpp_kernel(SOURCE, "sum")(1_000_000) / 24

    def forward(self, x):
        return torch.softmax(x * self.scale if self.scale != 1 else x, dim=-1)
