"""Its result depends on the name of the file it was read from, so it differs between processes."""

import os

import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, x):
        return x * len(os.path.basename(__file__))


def get_inputs():
    return [torch.randn(64, 64)]


def get_init_inputs():
    return []
