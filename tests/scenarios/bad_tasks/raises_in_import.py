# expect_error: the tables are not here
import torch
import torch.nn as nn

raise FileNotFoundError("the tables are not here")


class Model(nn.Module):
    def forward(self, x):
        return x * 2


def get_inputs():
    return [torch.randn(8, 16)]
