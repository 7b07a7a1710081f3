"""Binary cross entropy of probabilities, its logarithms limited as PyTorch limits them."""
import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, shares, targets):
        yes = torch.log(shares).clamp(min=-100.0)
        no = torch.log1p(-shares).clamp(min=-100.0)
        return -(targets * yes + (1.0 - targets) * no)


def get_inputs():
    return [torch.rand(256, 64), torch.rand(256, 64).round()]


def get_init_inputs():
    return []
