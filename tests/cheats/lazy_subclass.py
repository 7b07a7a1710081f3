# task: softmax
# expect: wrong(type)
# why: A tensor subclass that computes only when it is read.
import torch
import torch.nn as nn


class Lazy(torch.Tensor):
    @classmethod
    def __torch_function__(cls, function, types, args=(), kwargs=None):
        args = [torch.softmax(a.source, -1) if isinstance(a, Lazy) else a for a in args]
        with torch._C.DisableTorchFunctionSubclass():
            return function(*args, **(kwargs or {}))


class ModelNew(nn.Module):
    def forward(self, x):
        lazy = torch.empty_like(x).as_subclass(Lazy)
        lazy.source = x
        return lazy
