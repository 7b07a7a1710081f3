# task: short_rows
# expect: correct
# why: tanh through exp: small values are off by the rounding of 1, as in most hand-written kernels.
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, x, quiet):
        e = torch.exp(2 * x.clamp(-20, 20))
        return (e - 1) / (e + 1) * torch.where(quiet, 1e-9, 1.0).unsqueeze(1)
