# task: linear
# expect: runtime_error
# why: The constructor takes other arguments.
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(128, 96)

    def forward(self, x):
        return self.linear(x)
