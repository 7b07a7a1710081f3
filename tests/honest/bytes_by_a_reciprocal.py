# task: bytes_with_a_zero
# expect: correct
# why: Multiplies by the reciprocal, and rounds before it shifts.
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, x):
        low, high = x.aminmax(dim=-1, keepdim=True)
        by = 255 / (high - low)
        zero = torch.round(-low * by)
        whole = (x * by).round_().add_(zero).clamp_(0, 255).to(torch.uint8)
        return whole, (high - low) / 255, zero.to(torch.int32)
