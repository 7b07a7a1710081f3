# task: softmax
# expect: wrong(value) | suspect(late_write) | wrong(nan)
# why: Replies the right shape and dtype for an output that it never copies.
# why: Forms are claims; the bytes in the output slot are what is compared, and they are poison.
import sys

import torch
import torch.nn as nn

host = sys.modules.get("cupel.host") or sys.modules["__main__"]
host.Session._copy_out = lambda session, leaves, out: [
    {"dtype": "float32", "shape": [64, 256], "strides": [256, 1]}]


class ModelNew(nn.Module):
    def forward(self, x):
        return x.clone()
