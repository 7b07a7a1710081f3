# task: softmax
# expect: wrong(nan)
# why: Infinity in the last row: an infinite tolerance, or a mean not finite, hides the rest.
# why: Infinities are counted one by one.
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, x):
        y = torch.softmax(x, dim=-1)
        y[-1] = float("inf")
        return y
