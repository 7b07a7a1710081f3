# task: matmul
# device: cuda
# policy: tf32
# expect: correct
# why: TF32 under the policy of that name.
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, size):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(size, size) / size**0.5)

    def forward(self, x):
        torch.backends.cuda.matmul.allow_tf32 = True
        return x @ self.weight
