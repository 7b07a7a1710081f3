# task: slow_loop
# expect: slower
# why: A kernel of its own runs for show; what is returned comes from the reference's loop.
# why: The decoy's time is counted like any other.
import torch
import torch.nn as nn

from cupel.inline import cpp_kernel

def running_sum(x):
    total = torch.zeros_like(x[:, 0])
    sums = []
    for column in x.unbind(dim=1):
        total = total + column
        sums.append(total)
    return torch.stack(sums, dim=1)

SOURCE = r"""
#include <cstdint>

extern "C" void show(const float* x, float* y, std::int64_t count) {
  for (int pass = 0; pass < 100; ++pass) {
    for (std::int64_t i = 0; i < count; ++i) y[i] += x[i] * (y[i] + pass);
  }
}
"""


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.show = cpp_kernel(SOURCE, "show")

    def forward(self, x):
        decoy = torch.zeros_like(x)
        self.show(x, decoy, x.numel())
        return running_sum(x)
