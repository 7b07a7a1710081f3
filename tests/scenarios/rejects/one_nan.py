# task: softmax
# expect: wrong(nan)
# why: A single NaN in the last element.
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, x):
        y = torch.softmax(x, dim=-1)
        y[-1, -1] = float("nan")
        return y
