# task: softmax
# expect: wrong(value)
# why: The exact path only where values are unusual; on the usual ones a cheap approximation.
# why: Usual inputs are half of what is checked.
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, x):
        if x.abs().max() > 20:
            return torch.softmax(x, dim=-1)
        y = (1 + x / 1024).clamp(min=0).pow(1024)
        return y / y.sum(dim=-1, keepdim=True)
