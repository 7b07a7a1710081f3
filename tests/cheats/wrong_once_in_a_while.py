# task: slow_loop
# expect: wrong(value) | wrong(range) | wrong(nondeterministic)
# why: A race that passes five trials: one call in twelve, by chance, misses its last column.
# why: Every timed call is checked, so that luck does not last.
import random

import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.chance = random.Random(os_seed())

    def forward(self, x):
        y = torch.cumsum(x, dim=1)
        if self.chance.random() < 1 / 12:
            y[:, -1] = y[:, -2]
        return y


def os_seed():
    return random.SystemRandom().getrandbits(64)
