# task: softmax
# expect: wrong(range)
# why: No maximum is subtracted: right on small inputs, Inf / Inf on large ones.
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, x):
        e = torch.exp(x)
        return e / e.sum(dim=-1, keepdim=True)
