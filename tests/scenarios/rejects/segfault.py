# task: softmax
# expect: runtime_error
# why: A kernel that writes through a null pointer.
import torch
import torch.nn as nn

from cupel.inline import cpp_kernel

SOURCE = r"""
extern "C" void crash(const float*) { *static_cast<volatile int*>(nullptr) = 1; }
"""

crash = cpp_kernel(SOURCE, "crash")


class ModelNew(nn.Module):
    def forward(self, x):
        crash(x)
        return x
