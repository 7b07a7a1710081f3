# task: hardtanh
# expect: wrong(tied_output)
# why: Returns its input where nothing is to be clipped. A user who writes to the result, which the
# why: task's own model makes anew, writes to the input as well.
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, x):
        low, high = torch.aminmax(x)
        if low >= -1 and high <= 1:
            return x
        return x.clamp(-1, 1)
