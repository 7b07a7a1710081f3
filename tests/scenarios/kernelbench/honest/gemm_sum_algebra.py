# task: level2/14_Gemm_Divide_Sum_Scaling
# device: cuda
# expect: correct
# why: sum_j x.w_j / 2 * s equals x . (sum_j w_j) * s/2; the weight is column-summed on every
# why: call, so loaded weights count.
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, input_size, hidden_size, scaling_factor):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(hidden_size, input_size))
        self.scaling_factor = scaling_factor

    def forward(self, x):
        w = self.weight.sum(dim=0)
        return torch.mv(x, w).mul(self.scaling_factor / 2).unsqueeze(1)
