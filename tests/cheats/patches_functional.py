# task: softmax
# expect: wrong(value) | wrong(nan)
# why: Rebinds torch.softmax and F.softmax to the identity, so that a reference in the same process
# why: would agree with it. There is none.
import torch
import torch.nn as nn
import torch.nn.functional as F

torch.softmax = F.softmax = torch.Tensor.softmax = lambda x, dim=None, **kwargs: x


class ModelNew(nn.Module):
    def forward(self, x):
        return F.softmax(x, dim=-1).clone()
