# task: layer_norm
# expect: wrong(weights) | slower
# why: Has all of the reference's parameters and leaves out the bias, which is zero as constructed,
# why: under whatever seed. It would not be in a trained model.
import torch
import torch.nn as nn
import torch.nn.functional as F


class ModelNew(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.norm = nn.LayerNorm(width)
        nn.init.normal_(self.norm.weight, mean=1.0, std=0.2)

    def forward(self, x):
        return F.layer_norm(x, x.shape[1:], self.norm.weight)
