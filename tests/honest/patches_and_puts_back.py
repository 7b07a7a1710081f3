# task: slow_loop
# expect: faster
# ratio_min: 4
# audited: yes
# why: Exchanges a method of torch's for the time of its call, and puts it back.
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, x):
        given = nn.Linear.forward
        nn.Linear.forward = lambda self, value: value
        try:
            return torch.cumsum(x, dim=1)
        finally:
            nn.Linear.forward = given
