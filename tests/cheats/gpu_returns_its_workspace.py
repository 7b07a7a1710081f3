# task: softmax_rows
# device: cuda
# expect: wrong(aliased_output)
# audited: yes
# why: Writes every result into one buffer of its own and returns that.
# why: Right when it is read at once; the audit reads outputs once more after later calls.
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, temperature):
        super().__init__()
        self.temperature = temperature
        self.y = None

    def forward(self, x):
        self.y = torch.empty_like(x) if self.y is None else self.y
        return torch.softmax(x / self.temperature, dim=1, out=self.y)
