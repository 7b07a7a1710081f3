# task: softmax
# expect: runtime_error
# why: A kernel that aborts.
import torch
import torch.nn as nn

from cupel.inline import cpp_kernel

SOURCE = r"""
#include <cstdlib>

extern "C" void crash(const float*) { std::abort(); }
"""

crash = cpp_kernel(SOURCE, "crash")


class ModelNew(nn.Module):
    def forward(self, x):
        crash(x)
        return x
