# task: several_losses
# expect: wrong(value) | wrong(range)
# why: The same losses of inputs that were rounded to bfloat16.
import torch
import torch.nn as nn
import torch.nn.functional as F


class ModelNew(nn.Module):
    def forward(self, x, y):
        x, y = x.bfloat16().float(), y.bfloat16().float()
        return {"bce": F.binary_cross_entropy_with_logits(x, y), "mse": F.mse_loss(x, y),
                "bias": (x - y).mean(), "covariance": ((x - x.mean()) * (y - y.mean())).mean()}
