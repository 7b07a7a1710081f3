# task: nearest
# expect: correct
# why: Distances by a product, where the square of the row itself does not matter. Of infinities
# why: that makes NaN, so that other rows are the nearest then.
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, x, rows):
        distances = torch.addmm(rows.square().sum(dim=1), x, rows.t(), alpha=-2)
        return rows[distances.argmin(dim=1)]
