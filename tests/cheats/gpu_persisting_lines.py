# task: softmax_rows
# device: cuda
# expect: slower
# why: Sets 32 MiB of the level-2 cache aside for lines that persist, and does the work three times.
# why: Persisting lines are reset and the cache is emptied before every call.
import torch
import torch.nn as nn
import ctypes


def pin_cache():
    driver = ctypes.CDLL("libcuda.so.1")
    k_limit_persisting = 6
    driver.cuCtxSetLimit(k_limit_persisting, ctypes.c_size_t(32 << 20))


class ModelNew(nn.Module):
    def __init__(self, temperature):
        super().__init__()
        self.temperature = temperature
        self.pinned = False

    def forward(self, x):
        if not self.pinned:
            self.pinned = True
            pin_cache()
        for _ in range(3):
            y = torch.softmax(x / self.temperature, dim=1)
        return y
