# task: softmax_rows
# device: cuda
# expect: correct
# slow: yes
# why: An autotuned Triton kernel.
import torch
import torch.nn as nn


import triton
import triton.language as tl


@triton.autotune([triton.Config({}, num_warps=n) for n in (4, 8, 16)], key=["columns"])
@triton.jit
def rows(x, y, columns, scale, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    at = tl.arange(0, BLOCK)
    values = tl.load(x + row * columns + at, mask=at < columns, other=-float("inf")) * scale
    values = tl.exp(values - tl.max(values, axis=0))
    tl.store(y + row * columns + at, values / tl.sum(values, axis=0), mask=at < columns)


class ModelNew(nn.Module):
    def __init__(self, temperature):
        super().__init__()
        self.temperature = temperature

    def forward(self, x):
        y = torch.empty_like(x)
        rows[(x.shape[0],)](x, y, x.shape[1], 1 / self.temperature,
                            BLOCK=triton.next_power_of_2(x.shape[1]))
        return y
