# task: masked_pooling
# expect: wrong(range)
# why: Takes the mask of the first row for that of all.
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.up = nn.Linear(width, width)

    def forward(self, x, mask):
        kept = mask[0].nonzero().flatten()
        return torch.relu(self.up(x.index_select(1, kept))).mean(dim=1)
