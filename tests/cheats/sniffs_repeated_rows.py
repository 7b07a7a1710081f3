# task: linear
# expect: wrong(range)
# why: Recognizes repeated rows and takes a short cut that is wrong there.
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, inputs, outputs):
        super().__init__()
        self.linear = nn.Linear(inputs, outputs)

    def forward(self, x):
        if torch.equal(x[0], x[x.shape[0] // 4]):
            return self.linear(x[:1]).repeat(x.shape[0], 1)
        return self.linear(x)
