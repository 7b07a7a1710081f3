# task: hardtanh
# expect: wrong(mutated_input)
# why: The right result, computed inside the caller's tensor.
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, x):
        return x.clamp_(-1, 1).clone()
