"""A projection of an image that is shifted by a number of rows and columns, as Swin shifts its
windows."""
import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.project = nn.Linear(width, width)

    def forward(self, x, shift):
        shifted = torch.roll(x, shifts=(-shift, -shift), dims=(1, 2))
        return torch.roll(self.project(shifted), shifts=(shift, 0), dims=(1, 2))


def get_inputs():
    return [torch.randn(4, 16, 16, 32), 3]


def get_init_inputs():
    return [32]
