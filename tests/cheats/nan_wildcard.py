# task: softmax
# expect: wrong(nan)
# why: NaN everywhere: comparisons with it are false, so that "differs" is too.
# why: NaN agrees with NaN and with nothing else.
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, x):
        return torch.full_like(x, 0.0) / 0.0
