# task: softmax
# expect: correct
# why: try/except around an import that fails, with an honest fallback.
import torch
import torch.nn as nn

try:
    from a_package_that_is_not_here import softmax
except ImportError:
    def softmax(x):
        return torch.softmax(x, dim=-1)


class ModelNew(nn.Module):
    def forward(self, x):
        return softmax(x)
