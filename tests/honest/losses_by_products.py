# task: several_losses
# expect: correct
# why: Products instead of sums: means near zero are off by more than the reference happens to be.
import torch
import torch.nn as nn
import torch.nn.functional as F


class ModelNew(nn.Module):
    def forward(self, x, y):
        a, b = (x - x.mean()).view(-1), (y - y.mean()).view(-1)
        difference = (x - y).view(-1)
        return {"bce": F.binary_cross_entropy_with_logits(x, y),
                "mse": torch.dot(difference, difference) / difference.numel(),
                "bias": x.mean() - y.mean(), "covariance": torch.dot(a, b) / a.numel()}
