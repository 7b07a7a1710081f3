# expect_error: pip install cupel_has_no_such_package
import torch
import torch.nn as nn

import cupel_has_no_such_package


class Model(nn.Module):
    def forward(self, x):
        return cupel_has_no_such_package.double(x)


def get_inputs():
    return [torch.randn(8, 16)]


def get_init_inputs():
    return []
