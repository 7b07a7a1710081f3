# task: softmax
# expect: correct
# audited: yes
# why: Computes in one workspace of its own and returns copies, which nothing changes later.
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.workspace = torch.empty(0)

    def forward(self, x):
        if self.workspace.shape != x.shape:
            self.workspace = torch.empty_like(x)
        return torch.softmax(x, dim=-1, out=self.workspace).clone()
