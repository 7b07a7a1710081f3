# task: few_numbers
# expect: correct
# why: Numbers of very different sizes, some summed in another order and type than the reference.
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, x):
        flat = x.reshape(-1)
        fourth = flat.square().square().view(64, -1).sum(dim=1).sum()
        mean = flat.mean()
        std = ((flat.square().mean() - mean * mean) * (flat.numel() / (flat.numel() - 1))).sqrt()
        sizes = flat.abs().view(128, -1).mean(dim=1).mean()
        logistic = (0.5 + 0.5 * torch.tanh(0.5 * flat)).mean()
        return torch.stack([fourth, sizes, std, flat.amax(), logistic,
                            flat.double().tanh().square().mean().float()])
