# task: cache_of_four_bits
# expect: wrong(value)
# why: Of values in the middle between two steps, and a thousandth below it, the next one up: of a
# why: few elements in each row. No rounding gives that.
import torch
import torch.nn as nn
import torch.nn.functional as F


def four_bits(rows):
    largest = rows.abs().amax(dim=-1, keepdim=True)
    steps = rows * (7 / largest)
    return (steps + 0.501).floor().clamp(-8, 7) * (largest / 7)


class ModelNew(nn.Module):
    def forward(self, q, k, v):
        return F.scaled_dot_product_attention(q, four_bits(k), four_bits(v))
