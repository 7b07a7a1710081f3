# task: histogram
# expect: correct
# why: Counts are exact, however they are made.
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, x):
        bins = ((x + 4) * 8).long().clamp(0, 63).view(-1)
        edges = torch.arange(65)
        places = torch.searchsorted(bins.sort().values, edges)
        return places[1:] - places[:-1]
