# task: softmax
# expect: correct
# why: A custom autograd.Function of which only the forward is used.
import torch
import torch.nn as nn


class Softmax(torch.autograd.Function):
    @staticmethod
    def forward(context, x):
        return torch.softmax(x, dim=-1)


class ModelNew(nn.Module):
    def forward(self, x):
        return Softmax.apply(x)
