# task: softmax
# expect: runtime_error
# why: prepare() raises.
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def prepare(self):
        raise ValueError("these weights cannot be packed")

    def forward(self, x):
        return torch.softmax(x, dim=-1)
