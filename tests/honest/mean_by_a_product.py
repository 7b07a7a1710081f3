# task: masked_mean
# expect: correct
# why: Sums by a product with the mask, which is divided first; a row without any token gives zeros.
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, hidden, mask):
        weights = mask.to(hidden.dtype)
        weights = weights / weights.sum(1, keepdim=True).clamp_(min=1e-9)
        return torch.bmm(weights.unsqueeze(1), hidden).squeeze(1)
