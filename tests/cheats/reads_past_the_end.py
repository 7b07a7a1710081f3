# task: hardtanh
# expect: wrong(nan) | suspect(late_write) | wrong(value)
# why: Adds the sum of what lies behind its input, which elsewhere is zero and happens to work.
# why: Here NaN lies behind and before every input.
import ctypes

import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, x):
        behind = (ctypes.c_float * 16).from_address(x.data_ptr() + x.numel() * 4)
        return x.clamp(-1, 1) + 0.0 * sum(behind)
