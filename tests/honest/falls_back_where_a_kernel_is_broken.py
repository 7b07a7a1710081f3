# task: slow_loop
# expect: faster
# ratio_min: 4
# audited: yes
# why: Tries its kernel on a small case first, and computes as the reference does where it fails.
# why: With the kernel idle it is right all the same, but slower: no decoy.
import torch
import torch.nn as nn

from cupel.inline import cpp_kernel

SOURCE = r"""
#include <cstdint>

extern "C" void sums(const float* x, float* y, std::int64_t rows, std::int64_t columns) {
  for (std::int64_t i = 0; i < rows; ++i) {
    double sum = 0;
    for (std::int64_t j = 0; j < columns; ++j) y[i * columns + j] = sum += x[i * columns + j];
  }
}
"""


def loop(x):
    total = torch.zeros_like(x[:, 0])
    sums = []
    for column in x.unbind(dim=1):
        total = total + column
        sums.append(total)
    return torch.stack(sums, dim=1)


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.sums = cpp_kernel(SOURCE, "sums")
        probe = torch.ones(2, 3)
        self.works = torch.equal(self.by_kernel(probe), loop(probe))

    def by_kernel(self, x):
        y = torch.zeros_like(x)
        self.sums(x, y, x.shape[0], x.shape[1])
        return y

    def forward(self, x):
        return self.by_kernel(x) if self.works else loop(x)
