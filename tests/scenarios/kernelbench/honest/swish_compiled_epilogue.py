# task: level2/59_Matmul_Swish_Scaling
# device: cuda
# expect: correct
# why: cuBLAS linear, epilogue compiled by torch.compile at module level into one pointwise
# why: kernel.
import torch
import torch.nn as nn
import torch.nn.functional as F


@torch.compile(dynamic=False)
def swish_scale(y, scale: float):
    return y * torch.sigmoid(y) * scale


class ModelNew(nn.Module):
    def __init__(self, in_features, out_features, scaling_factor):
        super().__init__()
        self.matmul = nn.Linear(in_features, out_features)
        self.scaling_factor = scaling_factor

    def forward(self, x):
        y = F.linear(x, self.matmul.weight, self.matmul.bias)
        return swish_scale(y, self.scaling_factor)
