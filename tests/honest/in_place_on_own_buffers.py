# task: softmax
# expect: correct
# why: Works in place, but on memory that it made itself.
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, x):
        y = x - x.amax(dim=-1, keepdim=True)
        y.exp_()
        return y.div_(y.sum(dim=-1, keepdim=True))
