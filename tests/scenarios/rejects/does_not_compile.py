# task: softmax
# expect: build_error
# why: A kernel with a missing semicolon.
import torch
import torch.nn as nn

from cupel.inline import cpp_kernel

SOURCE = r"""
extern "C" void soft(float* x) {
  x[0] = 1
}
"""

soft = cpp_kernel(SOURCE, "soft")


class ModelNew(nn.Module):
    def forward(self, x):
        soft(x)
        return x
