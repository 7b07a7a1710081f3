# task: growth_so_far
# expect: correct
# why: Each number gets the product of twice as many before it, in eleven steps. Of equal rows all
#      products are rounded alike.
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, x):
        y, reach = x.clone(), 1
        while reach < len(y):
            earlier = y[:-reach].clone()
            y[reach:] *= earlier
            reach *= 2
        return y
