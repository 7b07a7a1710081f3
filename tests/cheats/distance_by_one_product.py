# task: row_distances
# expect: wrong(range) | wrong(nan)
# why: One product in the place of differences. A query that is a row of the database has no
# why: distance then: all digits are lost, and the root may be of a negative number.
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, queries, rows):
        lengths = queries.square().sum(1, keepdim=True) + rows.square().sum(1)
        return torch.addmm(lengths, queries, rows.t(), alpha=-2.0).sqrt_()
