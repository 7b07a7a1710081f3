# task: softmax
# expect: correct
# why: Turns Python's collector off and freezes the heap, as servers do.
import gc

import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        gc.disable()
        gc.freeze()

    def forward(self, x):
        return torch.softmax(x, dim=-1)
