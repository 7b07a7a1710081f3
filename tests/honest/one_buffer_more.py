# task: layer_norm
# expect: correct
# why: A buffer of its own beside the reference's parameters: a constant, which hangs on no weight.
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.norm = nn.LayerNorm(width)
        nn.init.normal_(self.norm.weight, mean=1.0, std=0.2)
        self.register_buffer("shares", torch.full((width,), 1 / width))

    def forward(self, x):
        centred = x - (x @ self.shares)[:, None]
        scale = torch.rsqrt(centred.square() @ self.shares + self.norm.eps)
        return torch.addcmul(self.norm.bias, centred * scale[:, None], self.norm.weight)
