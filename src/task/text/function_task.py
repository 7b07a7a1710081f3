"""{module}:{name}, called with tensors."""

import torch

from {module} import {name}


class Model(torch.nn.Module):{forward}

def get_inputs():
    return [
{inputs}    ]
