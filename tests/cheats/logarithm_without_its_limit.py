# task: likelihood_of_shares
# expect: wrong(nan) | wrong(range)
# why: Limits one of two logarithms: what is certain and true becomes infinity times zero.
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, shares, targets):
        yes = torch.log(shares).clamp(min=-100.0)
        no = torch.log1p(-shares)
        return -(targets * yes + (1.0 - targets) * no)
