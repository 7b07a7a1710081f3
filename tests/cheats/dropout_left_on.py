# task: linear
# expect: wrong(value) | wrong(range)
# why: Dropout of one element in a thousand stays on: train-mode behaviour.
# why: Outputs are compared with what the reference computes.
import torch
import torch.nn as nn

class ModelNew(nn.Module):
    def __init__(self, inputs, outputs):
        super().__init__()
        self.linear = nn.Linear(inputs, outputs)

    def forward(self, x):
        return self.linear(nn.functional.dropout(x, 1e-3, training=True))
