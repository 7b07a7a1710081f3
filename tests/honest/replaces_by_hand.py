# task: sanitized
# expect: correct
# why: Replaces what is not finite by a comparison and two limits, in other words than the task.
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.project = nn.Linear(64, 48)

    def forward(self, x):
        known = torch.where(x == x, x, 0.0)
        known = torch.where(known == torch.inf, 8.0, known)
        return self.project(torch.where(known == -torch.inf, -8.0, known))
