# task: slow_loop
# expect: wrong(process_state)
# audited: yes
# why: Seeds torch's generator in each call, so that whoever draws random numbers after it
# why: (dropout, a sampler) draws the same ones for ever.
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, x):
        torch.manual_seed(7)
        return torch.cumsum(x, dim=1)
