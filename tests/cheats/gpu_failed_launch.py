# task: softmax_rows
# device: cuda
# expect: runtime_error | wrong(value) | wrong(nan) | suspect(late_write)
# why: Asks for more threads than a block may have; nothing runs, and memory that torch has just
# why: freed still holds a right answer. Here it never does.
import torch
import torch.nn as nn
import ctypes


class ModelNew(nn.Module):
    def __init__(self, temperature):
        super().__init__()
        self.temperature = temperature

    def forward(self, x):
        y = torch.empty_like(x)
        ctypes.CDLL("libcuda.so.1").cuLaunchKernel(None, 1, 1, 1, 4096, 1, 1, 0, None, None, None)
        return y
