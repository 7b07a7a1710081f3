# task: column_sums
# expect: wrong(value) | wrong(range)
# why: Terms in bfloat16.
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, x):
        return x.bfloat16().float().sum(dim=0)
