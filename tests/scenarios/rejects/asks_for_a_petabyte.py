# task: softmax
# expect: out_of_memory
# why: One allocation that no machine can serve.
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, x):
        return torch.zeros(1 << 50)[:64]
