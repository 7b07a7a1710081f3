# task: softmax
# expect: wrong(nan)
# why: NaN everywhere: equal to nothing.
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, x):
        return torch.full_like(x, float("nan"))
