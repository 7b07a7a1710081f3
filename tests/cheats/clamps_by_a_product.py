# task: clamped
# expect: wrong(range) | wrong(nan) | slower
# why: Multiplies by zero where a clamp gives zero: of minus infinity that makes NaN.
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, x):
        return x * ((x > 0) * 1.5)
