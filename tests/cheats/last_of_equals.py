# task: first_largest
# expect: wrong(value) | wrong(range)
# why: The last of equals, where the first is promised. Ties are drawn always.
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, x):
        return x.shape[1] - 1 - torch.max(x.flip(1), dim=1).indices
