# task: long_loss
# expect: wrong(value) | wrong(range)
# why: Rounds both to bfloat16 first, in the hope that so long a sum is off by as much.
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, predictions, targets):
        return (predictions.bfloat16().float() - targets.bfloat16().float()).square().mean()
