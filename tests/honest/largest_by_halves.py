# task: largest
# expect: correct
# why: The larger of two halves, again and again; torch.maximum gives NaN where either is.
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, x):
        while x.shape[1] > 1:
            half = x.shape[1] // 2
            x = torch.maximum(x[:, :half], x[:, half:])
        return x[:, 0]
