# task: softmax
# expect: correct
# why: Registers an operator with torch.library and calls that.
import torch
import torch.nn as nn


@torch.library.custom_op("honest::rows", mutates_args=())
def rows(x: torch.Tensor) -> torch.Tensor:
    return torch.softmax(x, dim=-1)


class ModelNew(nn.Module):
    def forward(self, x):
        return rows(x)
