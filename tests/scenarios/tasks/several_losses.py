import torch
import torch.nn as nn
import torch.nn.functional as F


class Model(nn.Module):
    """Losses, each a single number. Two of them are means that lie near zero."""

    def forward(self, x, y):
        return {"bce": F.binary_cross_entropy_with_logits(x, y), "mse": F.mse_loss(x, y),
                "bias": (x - y).mean(), "covariance": ((x - x.mean()) * (y - y.mean())).mean()}


def get_inputs():
    return [torch.randn(256, 64), torch.rand(256, 64) - 0.5]
