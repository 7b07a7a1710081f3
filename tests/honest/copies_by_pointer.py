# task: softmax
# expect: correct
# why: Fills its output through a raw pointer.
import ctypes

import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, x):
        right = torch.softmax(x, dim=-1).contiguous()
        y = torch.empty(x.shape)
        ctypes.memmove(y.data_ptr(), right.data_ptr(), y.numel() * y.element_size())
        return y
