# task: linear
# policy: exact
# expect: correct
# why: Adds four partial products: under `exact`, another order of the same terms.
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, inputs, outputs):
        super().__init__()
        self.linear = nn.Linear(inputs, outputs)

    def forward(self, x):
        y = self.linear.bias.expand(x.shape[0], -1)
        for part, weight in zip(x.chunk(4, dim=1), self.linear.weight.chunk(4, dim=1)):
            y = y + part @ weight.t()
        return y
