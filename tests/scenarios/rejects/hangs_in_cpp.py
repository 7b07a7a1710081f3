# task: softmax
# expect: timeout
# why: An endless loop in a kernel.
# time_limit_s: 5
import torch
import torch.nn as nn

from cupel.inline import cpp_kernel

SOURCE = r"""
extern "C" void spin(const float* x) {
  const volatile float* first = x;
  while (*first == *first) {}
}
"""

spin = cpp_kernel(SOURCE, "spin")


class ModelNew(nn.Module):
    def forward(self, x):
        spin(x)
        return x
