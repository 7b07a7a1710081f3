# task: any_rows
# expect: faster
# audited: yes
# ratio_min: 2
# why: Right on the shapes that the task holds out, too.
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, x):
        return torch.cumsum(x, dim=1)
