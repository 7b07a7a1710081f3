# task: bytes_with_a_zero
# expect: wrong(value)
# why: Rounds once, after the shift: most bytes are the same.
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, x):
        low, high = x.aminmax(dim=-1, keepdim=True)
        by = 255 / (high - low)
        zero = torch.round(-low * by)
        whole = torch.round((x - low) * by).clamp_(0, 255).to(torch.uint8)
        return whole, (high - low) / 255, zero.to(torch.int32)
