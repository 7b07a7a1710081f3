# task: slow_loop
# expect: wrong(value) | wrong(nan) | wrong(range) | wrong(nondeterministic) | runtime_error
# why: Maps its input arena again, privately, to write into its inputs where the judge does not see
# why: it; what the judge reveals later is not to be seen there either.
import ctypes
import os

import torch
import torch.nn as nn

FIXED_PRIVATE = 0x12
libc = ctypes.CDLL(None)
libc.mmap.restype = ctypes.c_void_p
libc.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int, ctypes.c_int, ctypes.c_int,
                      ctypes.c_long]


def remap():
    with open("/proc/self/maps") as maps:
        line = next(line for line in maps if "memfd:cupel-inputs" in line)
    first, last = (int(part, 16) for part in line.split()[0].split("-"))
    fd = next(int(name) for name in os.listdir("/proc/self/fd")
              if "memfd:cupel-inputs" in os.readlink("/proc/self/fd/" + name))
    libc.mmap(first, last - first, 3, FIXED_PRIVATE, fd, 0)


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.remapped = False

    def forward(self, x):
        if not self.remapped:
            self.remapped = True
            remap()
        return x.copy_(torch.cumsum(x, dim=1))
