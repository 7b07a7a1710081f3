# task: generalized_mean
# expect: wrong(weights)
# why: The exponent is two and the scale one as they are constructed. Training moves both.
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.exponent = nn.Parameter(torch.ones(1) * 2)
        self.scale = nn.Parameter(torch.tensor(1.0))

    def forward(self, x):
        return x.clamp(min=1e-6).square_().mean((-2, -1)).sqrt_()
