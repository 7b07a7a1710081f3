# task: slow_loop
# expect: faster
# ratio_min: 1.3
# why: The running sum as a product with a triangle of ones: other terms, the same sums.
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.ones = torch.ones(96, 96).triu()

    def forward(self, x):
        return x @ self.ones
