# task: plain_softmax
# expect: correct
# why: Has an answer where the reference has none, on large inputs.
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, x):
        return torch.softmax(x, dim=1)
