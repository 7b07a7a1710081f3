# task: transposed
# expect: wrong(strides)
# why: Right values, row-major, where the task demands the reference's memory format.
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, x):
        return (x * 2 + 1).t().contiguous()
