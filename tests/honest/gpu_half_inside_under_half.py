# task: matmul
# device: cuda
# policy: half
# expect: faster
# ratio_min: 2
# why: fp16 inside, fp32 outside, under `half`.
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, size):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(size, size) / size**0.5)

    def forward(self, x):
        return (x.half() @ self.weight.half()).float()
