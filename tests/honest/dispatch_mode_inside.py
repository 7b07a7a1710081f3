# task: softmax
# expect: correct
# why: Enters a dispatch mode for its own operations, and leaves it.
import torch
import torch.nn as nn
from torch.utils._python_dispatch import TorchDispatchMode


class Counting(TorchDispatchMode):
    def __torch_dispatch__(self, function, types, args=(), kwargs=None):
        return function(*args, **(kwargs or {}))


class ModelNew(nn.Module):
    def forward(self, x):
        with Counting():
            return torch.softmax(x, dim=-1)
