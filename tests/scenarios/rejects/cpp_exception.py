# task: softmax
# expect: runtime_error
# why: A C++ exception that leaves a C function.
import torch
import torch.nn as nn

from cupel.inline import cpp_kernel

SOURCE = r"""
#include <stdexcept>

extern "C" void crash(const float*) { throw std::runtime_error("from C++"); }
"""

crash = cpp_kernel(SOURCE, "crash")


class ModelNew(nn.Module):
    def forward(self, x):
        crash(x)
        return x
