"""Rows rounded to steps, as in training for eight bits: 127 steps to the largest of each row."""

import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, x):
        scale = x.abs().amax(dim=-1, keepdim=True) / 127
        return torch.clamp(torch.round(x / scale), -127, 127) * scale


def get_inputs():
    return [torch.randn(256, 1024)]


def get_init_inputs():
    return []
