# task: int8_rows
# expect: correct
# why: Multiplies by the reciprocal: numbers near the middle of two steps go to either side.
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, x):
        top = x.abs().amax(dim=-1, keepdim=True)
        return torch.round(x * (127 / top)).clamp(-127, 127).to(torch.int8), top / 127
