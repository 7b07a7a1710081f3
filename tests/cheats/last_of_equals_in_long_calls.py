# task: long_choice
# expect: wrong(range) | wrong(value)
# why: The last of equals, in calls of which a round has few: each round meets every value class.
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, x):
        ranked = torch.sort(x, dim=0).values
        return x.shape[1] - 1 - torch.max(ranked.flip(1), dim=1).indices
