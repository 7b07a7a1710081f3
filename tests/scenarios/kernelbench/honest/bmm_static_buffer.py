# task: level1/3_Batched_matrix_multiplication
# device: cuda
# expect: correct
# why: bmm into a preallocated output that is kept between calls and entirely overwritten each
# why: time; a new shape gets a new buffer.
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self._out = None

    @torch.no_grad()
    def forward(self, A, B):
        shape = (A.shape[0], A.shape[1], B.shape[2])
        if self._out is None or self._out.shape != shape or self._out.device != A.device or self._out.dtype != A.dtype:
            self._out = torch.empty(shape, device=A.device, dtype=A.dtype)
        torch.bmm(A, B, out=self._out)
        return self._out
