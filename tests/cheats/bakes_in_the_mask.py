# task: masked_attention
# expect: wrong(range)
# why: Knows that the mask is the causal one, as it always is, and never looks at it.
import torch.nn as nn
import torch.nn.functional as F


class ModelNew(nn.Module):
    def forward(self, q, k, v, mask):
        return F.scaled_dot_product_attention(q, k, v, is_causal=True)
