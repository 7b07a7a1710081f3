# task: in_steps
# expect: correct
# why: Multiplies by the reciprocal of the step: numbers between two steps go to either.
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, x):
        top = x.abs().amax(dim=-1, keepdim=True)
        return torch.round(x * (127 / top)).clamp_(-127, 127) * (top / 127)
