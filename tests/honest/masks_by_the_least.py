# task: masked_by_the_least
# expect: correct
# why: The least number by its value, not through finfo; where() for masked_fill().
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.project = nn.Linear(64, 96)

    def forward(self, x, forbidden):
        return torch.where(forbidden, -3.4028234663852886e38, self.project(x))
