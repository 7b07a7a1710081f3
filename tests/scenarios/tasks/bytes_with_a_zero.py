"""Rows in bytes, of which one stands for zero: a scale and a shift of its own for each row."""

import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, x):
        low, high = x.aminmax(dim=-1, keepdim=True)
        scale = (high - low) / 255
        zero = torch.round(-low / scale)
        whole = x.div(scale).round_().add_(zero).clamp_(0, 255)
        return whole.to(torch.uint8), scale, zero.int()


def get_inputs():
    return [torch.randn(256, 256)]


def get_init_inputs():
    return []
