# task: slow_loop
# expect: faster
# ratio_min: 1.3
# why: Builds a table for a third of a second in its first call; every later one is quick.
import time

import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.ones = None

    def forward(self, x):
        if self.ones is None:
            time.sleep(0.3)
            self.ones = torch.ones(96, 96).triu()
        return x @ self.ones
