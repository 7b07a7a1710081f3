# task: softmax
# expect: wrong(structure)
# why: A tuple around the one output.
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, x):
        return (torch.softmax(x, dim=-1),)
