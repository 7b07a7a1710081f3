# task: choices
# expect: wrong(value) | wrong(range)
# why: The second largest now and then: in one row of 256.
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.project = nn.Linear(64, 40)

    def forward(self, x):
        chosen = self.project(x).topk(2, dim=1).indices
        place = chosen[:, 0].clone()
        place[7] = chosen[7, 1]
        return place
