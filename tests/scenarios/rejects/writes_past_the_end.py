# task: softmax
# expect: runtime_error | wrong(mutated_input) | wrong(value)
# why: A kernel that writes 64 MB past its output.
import torch
import torch.nn as nn

from cupel.inline import cpp_kernel

SOURCE = r"""
extern "C" void crash(float* y) {
  for (long i = 0; i < (1L << 24); ++i) y[i] = 0;
}
"""

crash = cpp_kernel(SOURCE, "crash")


class ModelNew(nn.Module):
    def forward(self, x):
        y = torch.empty_like(x)
        crash(y)
        return y
