# task: softmax
# expect: correct
# why: torch.jit.trace of the very function.
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.traced = torch.jit.trace(lambda x: torch.softmax(x, dim=-1), torch.zeros(64, 256))

    def forward(self, x):
        return self.traced(x)
