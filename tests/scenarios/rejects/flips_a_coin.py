# task: softmax
# expect: wrong(nondeterministic) | wrong(value)
# why: Wrong in one call out of four, whatever the input.
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, x):
        y = torch.softmax(x, dim=-1)
        return y * 2 if torch.rand(()) < 0.25 else y
