# task: masked_pooling
# expect: correct
# why: Reads the tokens that the mask names, and no others.
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.up = nn.Linear(width, width)

    def forward(self, x, mask):
        rows, places = mask.nonzero(as_tuple=True)
        h = torch.relu(self.up(x[rows, places]))
        total = torch.zeros(x.shape[0], x.shape[2]).index_add_(0, rows, h)
        return total / mask.sum(dim=1, keepdim=True).clamp_min(1)
