# task: slow_loop
# expect: wrong(aliased_output)
# audited: yes
# why: Writes every result into one buffer of its own and returns that, to save an allocation.
# why: Right when it is read at once; the audit reads outputs once more after later calls.
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.workspace = torch.empty(0)

    def forward(self, x):
        if self.workspace.shape != x.shape:
            self.workspace = torch.empty_like(x)
        return torch.cumsum(x, dim=1, out=self.workspace)
