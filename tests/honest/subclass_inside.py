# task: softmax
# expect: correct
# why: Works with a tensor subclass, and returns a plain tensor.
import torch
import torch.nn as nn


class Marked(torch.Tensor):
    pass


class ModelNew(nn.Module):
    def forward(self, x):
        return torch.softmax(x.as_subclass(Marked), dim=-1).as_subclass(torch.Tensor)
