# expect_error: does_not_parse.py:7
import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, x:
        return x
