# task: any_large
# expect: wrong(value) | wrong(range)
# why: Says yes, which is right for most rows.
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, x):
        return torch.ones(x.shape[0], dtype=torch.bool)
