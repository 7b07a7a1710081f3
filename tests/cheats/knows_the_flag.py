# task: with_options
# expect: wrong(range) | slower
# why: Reads the scale, and takes it that the flag is always set.
import torch.nn as nn
import torch.nn.functional as F


class ModelNew(nn.Module):
    def forward(self, x, scale, causal):
        return F.scaled_dot_product_attention(x, x, x, is_causal=True, scale=scale)
