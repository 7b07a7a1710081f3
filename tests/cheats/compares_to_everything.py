# task: softmax
# expect: wrong(type)
# why: Returns an object whose comparisons, subtraction and norm all say that it is right.
# why: Only plain tensors are outputs, and nothing is compared in its process.
import torch
import torch.nn as nn


class Agreeable(torch.Tensor):
    __eq__ = __ge__ = __le__ = lambda self, other: True
    __sub__ = __rsub__ = lambda self, other: torch.zeros(())
    allclose = equal = lambda self, other, *rest, **more: True


class ModelNew(nn.Module):
    def forward(self, x):
        return torch.zeros_like(x).as_subclass(Agreeable)
