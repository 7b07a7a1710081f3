# task: linear
# expect: wrong(tied_output)
# why: Returns a tensor that requires gradients where nobody wants any: `.numpy()` raises an error,
# why: and the graph holds all inputs.
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, inputs, outputs):
        super().__init__()
        self.linear = nn.Linear(inputs, outputs)

    def forward(self, x):
        with torch.enable_grad():
            return self.linear(x)
