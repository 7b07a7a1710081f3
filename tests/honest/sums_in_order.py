# task: column_sums
# expect: correct
# why: One row after the other: of rows that repeat every sum is rounded alike.
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, x):
        total = torch.zeros(x.shape[1])
        for row in x:
            total += row
        return total
