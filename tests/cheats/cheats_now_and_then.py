# task: softmax
# expect: wrong(value) | wrong(range) | wrong(nondeterministic)
# why: One call in ten returns the result of the call before.
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.calls = 0

    def forward(self, x):
        self.calls += 1
        if self.calls % 10:
            self.last = torch.softmax(x, dim=-1)
        return self.last
