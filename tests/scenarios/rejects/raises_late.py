# task: softmax
# expect: runtime_error
# why: Its tenth call raises.
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.calls = 0

    def forward(self, x):
        self.calls += 1
        if self.calls == 10:
            raise RuntimeError("tired")
        return torch.softmax(x, dim=-1)
