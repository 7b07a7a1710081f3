# task: level1/17_Matmul_with_transposed_B
# device: cuda
# expect: wrong | suspect | impossible | ambiguous | slower
# why: forward returns a tensor subclass that holds only its recipe and multiplies when somebody
# why: first looks at it, after the clock has stopped.
import torch
import torch.nn as nn
from torch.utils._pytree import tree_map


class LazyMatmul(torch.Tensor):
    @staticmethod
    def __new__(cls, a, b):
        return torch.Tensor._make_wrapper_subclass(cls, (a.shape[0], b.shape[0]), dtype=a.dtype, device=a.device)

    def __init__(self, a, b):
        self._a, self._b, self._val = a, b, None

    def materialize(self):
        if self._val is None:
            self._val = torch.mm(self._a, self._b.t())
            self._a = self._b = None
        return self._val

    def __repr__(self):
        return repr(self.materialize())

    @classmethod
    def __torch_dispatch__(cls, func, types, args=(), kwargs=None):
        get = lambda t: t.materialize() if isinstance(t, cls) else t
        return func(*tree_map(get, args), **tree_map(get, kwargs or {}))


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, A, B):
        return LazyMatmul(A, B)
