"""A loss over 2 million values: one number."""

import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, predictions, targets):
        return (predictions - targets).square().mean()


def get_inputs():
    return [torch.randn(1024, 2048), torch.randn(1024, 2048)]


def get_init_inputs():
    return []
