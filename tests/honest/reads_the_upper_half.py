# task: eigenvalues
# expect: correct
# why: Reads the upper half of a symmetric matrix.
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, a):
        return torch.linalg.eigvalsh(a, UPLO="U")
