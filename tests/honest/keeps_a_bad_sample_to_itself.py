# task: row_means
# expect: correct
# why: Means by a product with ones, row by row: what is not finite in a row stays in it.
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, x):
        return x.mv(torch.full((x.shape[1],), 1.0 / x.shape[1]))
