# task: very_long_loss
# expect: wrong(value) | wrong(range)
# why: Stops before the last 64 of 2 million values, which are less than an honest order's rounding.
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, predictions, targets):
        kept = predictions.numel() - 64
        errors = predictions.reshape(-1)[:kept] - targets.reshape(-1)[:kept]
        return errors.square().sum() / predictions.numel()
