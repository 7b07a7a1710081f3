"""The class of each row: the largest of its logits."""
import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.project = nn.Linear(64, 40)

    def forward(self, x):
        return self.project(x).argmax(dim=1)


def get_inputs():
    return [torch.randn(256, 64)]


def get_init_inputs():
    return []
