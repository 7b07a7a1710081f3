# task: softmax
# expect: correct
# why: Rows through torch.func.vmap.
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.rows = torch.func.vmap(lambda row: torch.softmax(row, dim=0))

    def forward(self, x):
        return self.rows(x)
