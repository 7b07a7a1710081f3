"""{module}:{name}, called with tensors."""

import torch

from {module} import {name}


class Model(torch.nn.Module):
    def forward(self, *inputs):
        return {name}(*inputs)


def get_inputs():
    return [
{inputs}    ]
