# task: slow_loop
# expect: wrong(process_state)
# audited: yes
# why: Seeds Python's and numpy's generators in each call, for a choice of its own, so that the
# why: user's shuffles are all alike.
import random

import numpy
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, x):
        random.seed(0)
        numpy.random.seed(0)
        return torch.cumsum(x, dim=random.choice([1]))
