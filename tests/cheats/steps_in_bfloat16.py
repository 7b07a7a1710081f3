# task: in_steps
# expect: wrong(value)
# why: Divides in bfloat16, so that many numbers are a step off.
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, x):
        top = x.abs().amax(dim=-1, keepdim=True)
        steps = torch.round((x.bfloat16() * (127 / top).bfloat16()).float())
        return steps.clamp_(-127, 127) * (top / 127)
