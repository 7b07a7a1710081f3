# task: masked_mean
# expect: wrong(range) | slower
# why: Leaves out the least number of tokens. A row without any, as one that fills up a batch, is
# why: divided by nothing.
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, hidden, mask):
        weights = mask.to(hidden.dtype)
        sums = torch.bmm(weights.unsqueeze(1), hidden).squeeze(1)
        return sums / weights.sum(1, keepdim=True)
