# task: row_means
# expect: correct
# why: Means as a product with a vector of ones: terms are added in another order.
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.ones = torch.ones(4096)

    def forward(self, x):
        return (x @ self.ones) / x.shape[1]
