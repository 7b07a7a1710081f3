# task: largest
# expect: wrong(range) | wrong(nan) | slower
# why: Keeps the larger of two by a comparison, which no NaN wins.
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, x):
        while x.shape[1] > 1:
            half = x.shape[1] // 2
            one, two = x[:, :half], x[:, half:]
            x = torch.where(two > one, two, one)
        return x[:, 0]
