# task: overflows
# expect: correct
# why: Squares in float32: where the reference overflows it is right, too.
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, x):
        wide = x.float()
        return ((wide * wide).sum(dim=1, keepdim=True) + wide).half()
