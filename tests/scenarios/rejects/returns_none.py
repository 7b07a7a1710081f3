# task: softmax
# expect: wrong(structure) | wrong(type)
# why: Forgets to return.
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, x):
        torch.softmax(x, dim=-1)
