# task: nearest_of_many
# expect: wrong(value)
# why: Distances in bfloat16: of codes that are nearly as near it takes the wrong one, beyond what
# why: rounding of the inputs explains.
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, x, codes):
        products = (x.bfloat16() @ codes.bfloat16().t()).float()
        distances = codes.square().sum(dim=1) - 2 * products
        return codes[distances.argmin(dim=1)]
