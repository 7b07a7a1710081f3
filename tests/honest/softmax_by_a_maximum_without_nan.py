# task: softmax
# expect: correct
# why: Subtracts a maximum that leaves out NaN. The sum behind it has the NaN all the same.
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, x):
        largest = torch.where(x.isnan(), -torch.inf, x).amax(dim=1, keepdim=True)
        powers = torch.exp(x - largest)
        return powers / powers.sum(dim=1, keepdim=True)
