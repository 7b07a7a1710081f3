# task: softmax
# expect: wrong(aliased_output)
# audited: yes
# why: Alternates between two buffers of its own, so that a result lives until the next but one.
# why: Who keeps three results finds the third in the place of the first.
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.buffers = [torch.empty(64, 256), torch.empty(64, 256)]

    def forward(self, x):
        self.buffers.reverse()
        return torch.softmax(x, dim=-1, out=self.buffers[0])
