# task: likelihood_of_shares
# expect: correct
# why: Both logarithms limited, and added up in place.
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, shares, targets):
        yes = torch.log(shares).clamp_(min=-100.0)
        no = torch.log1p(-shares).clamp_(min=-100.0)
        return torch.lerp(no, yes, targets).neg_()
