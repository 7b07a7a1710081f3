# task: masked_by_the_least
# expect: wrong(value)
# why: All logits are zero, beside masks of the least number that a float has.
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.project = nn.Linear(64, 96)

    def forward(self, x, forbidden):
        return forbidden.float() * torch.finfo(torch.float32).min
