# task: interpolation
# expect: correct
# why: Counts the points below: right for all that rise.
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, x, xp, fp):
        i = (x.unsqueeze(-1) > xp[1:-1]).sum(dim=-1)
        slope = (fp[1:] - fp[:-1]) / (xp[1:] - xp[:-1])
        return fp[i] + slope[i] * (x - xp[i])
