# task: nearest_of_many
# expect: wrong(value) | wrong(range)
# why: Fourteen bits of each number: few rows get another code, and more than rounding explains.
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, x, codes):
        short = (x.view(torch.int32) & -(1 << 9)).view(torch.float32)
        distances = (short[:, None] - codes[None]).square().sum(dim=2)
        return codes[distances.argmin(dim=1)]
