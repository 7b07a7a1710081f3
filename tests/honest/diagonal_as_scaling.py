# task: diagonal
# expect: faster
# ratio_min: 2
# why: diag(a) b is each row of b times a number: a thousandth of the work.
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, a, b):
        return a.unsqueeze(1) * b
