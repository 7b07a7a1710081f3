# task: very_long_loss
# expect: correct
# why: Sums of 2,048, and the sums of these: an order as good as torch's own.
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, predictions, targets):
        errors = predictions - targets
        return errors.square().sum(1).sum() / errors.numel()
