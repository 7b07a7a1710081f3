# task: linear
# expect: wrong(value) | wrong(nondeterministic) | wrong(range)
# why: Remembers results by the page of the input's address.
import torch
import torch.nn as nn

known = {}


class ModelNew(nn.Module):
    def __init__(self, inputs, outputs):
        super().__init__()
        self.linear = nn.Linear(inputs, outputs)

    def forward(self, x):
        page = x.data_ptr() >> 21
        if page not in known:
            known[page] = self.linear(x)
        return known[page]
