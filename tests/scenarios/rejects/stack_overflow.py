# task: softmax
# expect: runtime_error
# why: A kernel that recurses without end.
import torch
import torch.nn as nn

from cupel.inline import cpp_kernel

SOURCE = r"""
static float deeper(const float* x, long depth) {
  volatile float frame[1024];
  frame[depth % 1024] = x[0];
  return deeper(x, depth + 1) + frame[(depth + 7) % 1024];
}

extern "C" void crash(float* x) { x[0] = deeper(x, 0); }
"""

crash = cpp_kernel(SOURCE, "crash")


class ModelNew(nn.Module):
    def forward(self, x):
        crash(x)
        return x
