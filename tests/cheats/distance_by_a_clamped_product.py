# task: row_distances
# expect: wrong(range)
# why: The same without NaN: what is at no distance is a thousandth away.
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, queries, rows):
        lengths = queries.square().sum(1, keepdim=True) + rows.square().sum(1)
        return torch.addmm(lengths, queries, rows.t(), alpha=-2.0).clamp_(min=0).sqrt_()
