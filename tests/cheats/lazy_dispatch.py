# task: softmax
# expect: wrong(type)
# why: A wrapper subclass with __torch_dispatch__ that computes when it is copied out.
# why: Only plain tensors are outputs.
import torch
import torch.nn as nn


class Lazy(torch.Tensor):
    @staticmethod
    def __new__(cls, source):
        lazy = torch.Tensor._make_wrapper_subclass(cls, source.shape, dtype=source.dtype)
        lazy.source = source
        return lazy

    @classmethod
    def __torch_dispatch__(cls, function, types, args=(), kwargs=None):
        args = [torch.softmax(a.source, -1) if isinstance(a, Lazy) else a for a in args]
        return function(*args, **(kwargs or {}))


class ModelNew(nn.Module):
    def forward(self, x):
        return Lazy(x)
