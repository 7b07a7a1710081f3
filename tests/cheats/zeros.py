# task: softmax
# expect: wrong(value)
# why: All zeros: within 1e-2 of a softmax over 256 columns almost everywhere.
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, x):
        return torch.zeros_like(x)
