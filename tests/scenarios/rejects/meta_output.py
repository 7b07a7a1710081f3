# task: softmax
# expect: wrong(type)
# why: A tensor without memory.
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, x):
        return torch.empty_like(x, device="meta")
