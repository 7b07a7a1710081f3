# task: softmax
# expect: wrong(value)
# why: The mean of every softmax, 1 / columns.
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, x):
        return torch.full_like(x, 1 / x.shape[-1])
