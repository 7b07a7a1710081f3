# task: softmax
# expect: runtime_error
# why: sys.exit(0) in a call: a clean exit is no result.
import sys

import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, x):
        sys.exit(0)
