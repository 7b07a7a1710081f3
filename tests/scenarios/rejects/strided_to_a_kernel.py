# task: softmax
# expect: runtime_error
# why: Hands a kernel a tensor that is not contiguous.
import torch
import torch.nn as nn

from cupel.inline import cpp_kernel

SOURCE = r"""
extern "C" void copy(const float*) {}
"""

copy = cpp_kernel(SOURCE, "copy")


class ModelNew(nn.Module):
    def forward(self, x):
        copy(x.t())
        return x
