# task: gated_in_bfloat16
# expect: wrong(range)
# why: Has the epsilon of other models, 1e-5 for 1e-6. In bfloat16 that is seen where inputs are
# why: small, and nowhere else.
import torch
import torch.nn as nn
import torch.nn.functional as F


class ModelNew(nn.Module):
    def __init__(self, width, inner, epsilon):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(width))
        self.gate = nn.Linear(width, inner, bias=False)
        self.up = nn.Linear(width, inner, bias=False)
        self.down = nn.Linear(inner, width, bias=False)
        self.bfloat16()

    def forward(self, x):
        rows = F.rms_norm(x.float(), x.shape[-1:], eps=1e-5)
        rows = self.weight * rows.to(x.dtype)
        return x + self.down(F.silu(self.gate(rows)) * self.up(rows))
