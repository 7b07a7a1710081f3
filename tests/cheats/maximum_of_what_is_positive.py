# task: first_largest
# expect: wrong(range) | wrong(value) | slower
# why: Looks for the largest among numbers above zero. A row without one, as of logarithms of
# why: probabilities, is not among the task's own inputs.
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, x):
        return torch.relu(x).argmax(dim=-1)
