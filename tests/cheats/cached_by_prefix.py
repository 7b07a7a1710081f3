# task: hardtanh
# expect: wrong(value) | wrong(range)
# why: Remembers results by the signs of the input's first two elements.
# why: Other inputs begin alike; each call's outputs are checked.
import torch
import torch.nn as nn

known = {}


class ModelNew(nn.Module):
    def forward(self, x):
        key = tuple((x[0, :2] > 0).tolist())
        if key not in known:
            known[key] = x.clamp(-1, 1)
        return known[key]
