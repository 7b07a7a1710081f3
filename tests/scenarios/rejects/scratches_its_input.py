# task: two_outputs
# expect: wrong(mutated_input)
# why: Right outputs, but the second input is used as scratch memory.
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, x, y):
        total = x * torch.sigmoid(y) + y
        top = total.amax(dim=1)
        y.zero_()
        return total, top
