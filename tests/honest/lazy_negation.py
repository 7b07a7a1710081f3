# task: softmax
# expect: correct
# why: A lazy conjugate view: torch's own laziness, resolved when the outputs are copied.
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, x):
        return torch._neg_view(torch.softmax(x, dim=-1).neg())
