# task: few_numbers
# expect: wrong(value) | wrong(range)
# why: Takes the small ones of six numbers from a sample of the rows.
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, x):
        part = x[:32]
        return torch.stack([x.pow(4).sum(), part.abs().mean(), part.std(), part.amax(),
                            torch.sigmoid(part).mean(), part.tanh().square().mean()])
