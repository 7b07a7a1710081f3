# task: slow_loop
# expect: wrong(value) | wrong(range) | wrong(nan)
# why: Makes torch's comparisons say yes to everything, in its own process.
import torch
import torch.nn as nn

torch.allclose = torch.equal = lambda *args, **kwargs: True
torch.isnan = lambda x: torch.zeros_like(x, dtype=torch.bool)
torch.Tensor.__eq__ = lambda self, other: torch.ones_like(self, dtype=torch.bool)


class ModelNew(nn.Module):
    def forward(self, x):
        return torch.zeros_like(x)
