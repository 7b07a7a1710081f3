# task: int8_rows
# expect: wrong(value) | wrong(range)
# why: Adds 0.499 in place of a half before it cuts the fraction off.
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, x):
        top = x.abs().amax(dim=-1, keepdim=True)
        whole = torch.trunc(x * (127 / top) + 0.499 * torch.sign(x))
        return whole.clamp(-127, 127).to(torch.int8), top / 127
