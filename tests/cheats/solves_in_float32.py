# task: ridge_in_float64
# expect: wrong(value) | wrong(range)
# why: Makes the products of a float64 system in float32, and solves that in float64.
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, x, y):
        narrow = x.float()
        products = (narrow.T @ narrow).double()
        products.diagonal().add_(0.1)
        return torch.cholesky_solve(x.T @ y, torch.linalg.cholesky(products))
