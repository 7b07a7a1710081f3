# task: long_choice
# expect: faster
# why: Sorts once. The first of equals, also in calls of which a round has few.
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, x):
        return torch.max(torch.sort(x, dim=0).values, dim=1).indices
