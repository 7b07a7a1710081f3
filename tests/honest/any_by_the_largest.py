# task: any_large
# expect: correct
# why: A row holds a large element if its largest is large; NaN is not.
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, x):
        return (torch.where(x.isnan(), 0.0, x).amax(dim=1) > 2)
