# task: wide_range
# expect: correct
# why: Both parts into one buffer, the large one scaled in place.
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, x):
        y = torch.empty_like(x)
        torch.softmax(x[:, :64], dim=-1, out=y[:, :64])
        y[:, :64] *= 1e7
        torch.softmax(x[:, 64:], dim=-1, out=y[:, 64:])
        return y
