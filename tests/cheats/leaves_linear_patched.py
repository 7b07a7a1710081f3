# task: slow_loop
# expect: wrong(process_state)
# audited: yes
# why: Puts a forward of its own into torch.nn.Linear, in half precision, and uses none itself: the
# why: class is where it was, its method is not.
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, x):
        if nn.Linear.forward is not half_linear:
            nn.Linear.forward = half_linear
        return torch.cumsum(x, dim=1)


def half_linear(self, x):
    bias = None if self.bias is None else self.bias.half()
    return nn.functional.linear(x.half(), self.weight.half(), bias).float()
