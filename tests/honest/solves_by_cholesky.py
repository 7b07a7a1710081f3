# task: ridge_in_float64
# expect: correct
# why: Cholesky's factors in place of elimination: as far from the true answer as the reference,
# why: which has rounding errors of its own in float64.
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, x, y):
        products = x.T @ x
        products.diagonal().add_(0.1)
        return torch.cholesky_solve(x.T @ y, torch.linalg.cholesky(products))
