# task: tanh
# policy: exact
# expect: correct
# why: tanh through exp: on small inputs the rounding of 1 is 4 units of the result.
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, x):
        e = torch.exp(2 * x.clamp(-20, 20))
        return (e - 1) / (e + 1)
