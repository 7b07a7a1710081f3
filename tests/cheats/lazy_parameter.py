# task: softmax
# expect: wrong(type) | wrong(value) | runtime_error
# why: A subclass that calls itself torch.nn.Parameter's class in name and in isinstance().
# why: What counts is the exact type.
import torch
import torch.nn as nn


class Parameter(nn.Parameter):
    def __new__(cls, source):
        return torch.Tensor._make_subclass(cls, torch.empty_like(source))

    @classmethod
    def __torch_function__(cls, function, types, args=(), kwargs=None):
        args = [torch.softmax(a.source, -1) if hasattr(a, "source") else a for a in args]
        with torch._C.DisableTorchFunctionSubclass():
            return function(*args, **(kwargs or {}))


Parameter.__module__ = "torch.nn.parameter"


class ModelNew(nn.Module):
    def forward(self, x):
        lazy = Parameter(x)
        lazy.source = x
        return lazy
