# task: two_outputs
# expect: wrong(value)
# why: Computes the first output and leaves the second at zero.
# why: Every output is compared, not only the first.
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, x, y):
        return x * torch.sigmoid(y) + y, x.new_zeros(x.shape[0])
