# task: above_the_mean
# expect: correct
# why: The mean as a product, whose rounding takes an element to the other side of it now and then.
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, x):
        mean = x @ x.new_full((x.shape[1], 1), 1 / x.shape[1])
        count = torch.count_nonzero(x > mean, dim=-1)
        return count, count > x.shape[-1] // 2
