# task: nearest_of_many
# expect: correct
# why: Distances by a product: other rounding, and so another one of two codes that are as near.
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, x, codes):
        distances = torch.addmm(codes.square().sum(dim=1), x, codes.t(), alpha=-2)
        return codes[distances.argmin(dim=1)]
