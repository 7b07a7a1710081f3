# task: in_steps
# expect: wrong(value)
# why: Rounds a little towards zero: 0.499 in place of a half.
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, x):
        top = x.abs().amax(dim=-1, keepdim=True)
        steps = torch.trunc(x * (127 / top) + 0.499 * torch.sign(x))
        return steps.clamp_(-127, 127) * (top / 127)
