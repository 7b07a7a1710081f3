# task: cosine_similarity
# expect: wrong(range) | wrong(nan) | slower
# why: Leaves out the least length, which matters for rows of zeros, as of padding, alone.
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, a, b):
        lengths = torch.linalg.vector_norm(a, dim=1) * torch.linalg.vector_norm(b, dim=1)
        return torch.einsum("ij,ij->i", a, b) / lengths
