# task: softmax
# expect: build_error
# slow: yes
# why: Has one library of a hundred megabytes after another built, which all stay in the cache on
# why: the user's disk. A program may have so much built and no more.
import torch
import torch.nn as nn

from cupel.inline import cpp_kernel

SOURCE = 'asm(".data\\n.fill 100000000, 1, %d");\nextern "C" void nothing() {}\n'


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        for number in range(100):
            cpp_kernel(SOURCE % number, "nothing")

    def forward(self, x):
        return torch.softmax(x, dim=-1)
