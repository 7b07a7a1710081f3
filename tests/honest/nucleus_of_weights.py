# task: nucleus
# expect: correct
# why: Sums of weights before they are divided: a word at the edge falls to the other side.
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, logits):
        kept, places = logits.sort(dim=-1, descending=True)
        weights = (kept - kept[:, :1]).exp_()
        before = weights.cumsum(-1).sub_(weights)
        limit = 0.9 * weights.sum(-1, keepdim=True)
        kept.masked_fill_(before > limit, float("-inf"))
        return torch.empty_like(logits).scatter_(1, places, kept)
