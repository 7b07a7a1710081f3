# task: short_rows
# expect: wrong(value)
# why: Half of the rows are zero: they are small, and of 16 elements, too few to be judged alone.
# why: Rows of one size are judged together.
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, x, quiet):
        return torch.tanh(x) * (~quiet).unsqueeze(1)
