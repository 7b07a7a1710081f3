# task: linear
# expect: correct
# why: Turns gradients on for itself, and returns a tensor that carries no graph.
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, inputs, outputs):
        super().__init__()
        self.linear = nn.Linear(inputs, outputs)

    def forward(self, x):
        with torch.enable_grad():
            return self.linear(x).detach()
