# task: padded_tokens
# expect: faster
# ratio_min: 2
# why: One product in place of a loop over the tokens.
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, hidden, mask):
        weights = mask.to(hidden.dtype)
        total = torch.bmm(weights.unsqueeze(1), hidden).squeeze(1)
        return total / weights.sum(1, keepdim=True).clamp_(min=1)
