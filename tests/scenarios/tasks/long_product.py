"""A product over 4,096 terms, added up sixteen at a time: rounded as often as on a GPU."""

import torch
import torch.nn as nn

TERMS, AT_A_TIME = 4096, 16


class Model(nn.Module):
    def __init__(self, outputs):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(TERMS, outputs) / TERMS**0.5)

    def forward(self, x):
        total = x[:, :AT_A_TIME] @ self.weight[:AT_A_TIME]
        for at in range(AT_A_TIME, TERMS, AT_A_TIME):
            total = total + x[:, at:at + AT_A_TIME] @ self.weight[at:at + AT_A_TIME]
        return total


def get_inputs():
    return [torch.randn(64, TERMS)]


def get_init_inputs():
    return [128]
