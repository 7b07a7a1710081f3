# task: int8_rows
# expect: wrong(value)
# why: Divides in bfloat16, which is off by up to half a step.
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, x):
        top = x.abs().amax(dim=-1, keepdim=True)
        steps = (x.bfloat16() * (127 / top).bfloat16()).float()
        return torch.round(steps).clamp(-127, 127).to(torch.int8), top / 127
