# task: cancelling
# expect: degenerate(no_usable_class)
# why: The reference is all rounding error: no tolerance could tell right from wrong.
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, x):
        return x.clone()
