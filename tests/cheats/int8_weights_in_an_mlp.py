# task: mlp
# policy: half
# expect: wrong(weights) | wrong(range) | slower
# why: As int8_weights_under_half, in layers whose outputs are not all looked at.
import torch
import torch.nn as nn


class Packed(nn.Module):
    def __init__(self, linear):
        super().__init__()
        weight = linear.weight.detach()
        self.scale = weight.abs().amax(1, keepdim=True) / 127
        self.packed = torch.round(weight / self.scale).to(torch.int8)
        self.bias = linear.bias.detach()

    def forward(self, x):
        return torch.addmm(self.bias, x, (self.packed * self.scale).t())


class ModelNew(nn.Module):
    def __init__(self, widths):
        super().__init__()
        layers = []
        for inputs, outputs in zip(widths, widths[1:]):
            layers += [nn.Linear(inputs, outputs), nn.GELU()]
        self.layers = nn.Sequential(*layers[:-1])

    def prepare(self):
        self.packed = [Packed(layer) if isinstance(layer, nn.Linear) else layer
                       for layer in self.layers]

    def forward(self, x):
        for layer in self.packed:
            x = layer(x)
        return x
