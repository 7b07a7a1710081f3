# task: hardtanh
# expect: wrong(mutated_input)
# why: Writes to its input through a pointer, past every version counter of torch.
import ctypes

import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, x):
        y = x.clamp(-1, 1)
        ctypes.memset(x.data_ptr(), 0, x.numel() * 4)
        return y
