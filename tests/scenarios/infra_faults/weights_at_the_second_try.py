# task: finds_no_room_once
# expect: correct
# why: There is no room for the weights of the first round. The next one asks for them again.
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(64, 64)

    def forward(self, x):
        return self.linear(x)
