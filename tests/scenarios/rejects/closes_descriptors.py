# task: softmax
# expect: runtime_error | invalid_reply
# why: Closes every descriptor, the judge's socket too.
import os

import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, x):
        os.closerange(0, 4096)
        return torch.softmax(x, dim=-1)
