# task: cache_of_four_bits
# expect: correct
# why: Times seven over the largest, which rounds otherwise than a division by the largest over
# why: seven: of a head's many near ties some fall otherwise, and often more than one at once.
import torch
import torch.nn as nn
import torch.nn.functional as F


def four_bits(rows):
    largest = rows.abs().amax(dim=-1, keepdim=True)
    return (rows * (7 / largest)).round().clamp(-8, 7) * (largest / 7)


class ModelNew(nn.Module):
    def forward(self, q, k, v):
        return F.scaled_dot_product_attention(q, four_bits(k), four_bits(v))
