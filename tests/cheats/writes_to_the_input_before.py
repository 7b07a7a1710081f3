# task: softmax
# expect: wrong(mutated_input) | wrong(value) | wrong(nan) | wrong(range) | wrong(nondeterministic)
# why: Keeps its input and writes to it in the next call, when the caller uses it for other things.
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    before = None

    def forward(self, x):
        if self.before is not None:
            self.before.zero_()
        self.before = x
        return torch.softmax(x, dim=-1)
