# task: row_means
# expect: wrong(value)
# why: Means of 4,096 standard normals are all within 0.06 of zero.
# why: Errors are measured by the spread of the oracle's values, not by their size.
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, x):
        return x.new_zeros(x.shape[0])
