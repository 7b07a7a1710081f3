# task: copies
# expect: correct
# why: Three outputs as slices of one buffer, which share no element.
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, x):
        three = torch.stack((x, x * 1.5, x * 1.5))
        return *three, x.mean(dim=1, keepdim=True).expand(-1, x.shape[1]).contiguous()
