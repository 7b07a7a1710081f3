# task: sanitized
# expect: wrong(range) | wrong(nan)
# why: Does not replace what is not finite, since the task's own inputs hold no such number.
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.project = nn.Linear(64, 48)

    def forward(self, x):
        return self.project(x)
