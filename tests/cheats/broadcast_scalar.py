# task: row_means
# expect: wrong(shape)
# why: One number for all rows, of shape (1,), which would broadcast in a subtraction.
# why: Shapes are compared, never broadcast.
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, x):
        return x.mean().reshape(1)
