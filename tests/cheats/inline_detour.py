# task: slow_loop
# expect: suspect(clock) | slower
# why: Overwrites the first instructions of the probe's clock in memory: time advances by a
# why: microsecond a look, and the loop runs twice. The judge has a clock of its own.
import ctypes
import mmap

import torch
import torch.nn as nn

# mov rax, [rip + counter]; add rax, 1000; mov [rip + counter], rax; ret; counter
CODE = bytes.fromhex("488b050e000000" "4805e8030000" "48890501000000" "c3") + bytes(8)


def detour():
    with open("/proc/self/maps") as maps:
        path = next(line.split()[-1] for line in maps if "cupel_probe" in line)
    libc = ctypes.CDLL(None)
    for name in ("cupel_probe_now_ns",):
        function = ctypes.CDLL(path)[name]
        address = ctypes.cast(function, ctypes.c_void_p).value
        page = address & ~(mmap.PAGESIZE - 1)
        libc.mprotect(ctypes.c_void_p(page), 2 * mmap.PAGESIZE, 7)
        ctypes.memmove(address, CODE, len(CODE))


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        detour()

    def forward(self, x):
        for _ in range(2):
            total = torch.zeros_like(x[:, 0])
            sums = []
            for column in x.unbind(dim=1):
                total = total + column
                sums.append(total)
        return torch.stack(sums, dim=1)
