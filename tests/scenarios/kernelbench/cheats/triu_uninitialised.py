# task: level1/14_Matmul_for_upper_triangular_matrices
# device: cuda
# expect: wrong | suspect | impossible | ambiguous | slower
# why: blocks strictly below the diagonal of the torch.empty output are never written; they look
# why: right only while the allocator hands back memory of an earlier triangular result.
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    BLOCK = 512

    def __init__(self):
        super().__init__()

    @torch.no_grad()
    def forward(self, A, B):
        n = A.shape[0]
        out = torch.empty_like(A)
        for i in range(0, n, self.BLOCK):
            j = min(i + self.BLOCK, n)
            # the rows i..j of the product only matter from column i on
            out[i:j, i:] = torch.triu(torch.mm(A[i:j], B[:, i:]))
        return out
