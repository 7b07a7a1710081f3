# task: softmax
# expect: build_error | runtime_error
# why: A kernel that calls a function which nobody defines.
import torch
import torch.nn as nn

from cupel.inline import cpp_kernel

SOURCE = r"""
extern "C" void missing_function(const float*);
extern "C" void soft(const float* x) { missing_function(x); }
"""

soft = cpp_kernel(SOURCE, "soft")


class ModelNew(nn.Module):
    def forward(self, x):
        soft(x)
        return x
