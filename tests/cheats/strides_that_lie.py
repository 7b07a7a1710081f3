# task: softmax
# expect: wrong(tied_output)
# why: One row, shown 64 times through a stride of zero: the right shape at a 64th of the work.
# why: Nobody can write to it, and a copy of it is still 64 times the same row.
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, x):
        return torch.softmax(x[:1], dim=-1).expand(x.shape[0], -1)
