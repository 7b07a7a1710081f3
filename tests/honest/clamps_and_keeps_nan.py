# task: clamped
# expect: correct
# why: Another order of factors; NaN and infinities stay what they are.
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, x):
        return (x * 1.5).clamp(min=0)
