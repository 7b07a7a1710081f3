# task: slow_loop
# expect: correct
# audited: yes
# why: Draws from every generator in each call, and borrows torch's under a seed of its own, which
# why: it gives back. That is noted, and no fault: the user's numbers go on from call to call.
import random

import numpy
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, x):
        jitter = torch.rand(8).sum() + random.random() + numpy.random.random()
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(7)
            jitter = jitter + torch.rand(1)
        return torch.cumsum(x, dim=1) + jitter * 0
