# task: transposed
# expect: correct
# why: The task demands the reference's memory format, and gets it.
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, x):
        return torch.add(torch.ones(()), x, alpha=2).t()
