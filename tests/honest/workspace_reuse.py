# task: softmax
# expect: correct
# why: Writes every result into one buffer of its own: odd, but honest.
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.workspace = torch.empty(0)

    def forward(self, x):
        if self.workspace.shape != x.shape:
            self.workspace = torch.empty_like(x)
        return torch.softmax(x, dim=-1, out=self.workspace)
