# task: slow_loop
# expect: wrong(value) | wrong(range) | wrong(nondeterministic)
# why: Remembers results by the id of the input's Python object, which CPython uses again.
# why: No input comes twice, so whoever remembers is wrong.
import torch
import torch.nn as nn

known = {}


class ModelNew(nn.Module):
    def forward(self, x):
        if id(x) not in known:
            known[id(x)] = torch.cumsum(x, dim=1)
        return known[id(x)]
