# task: with_options
# expect: correct
# why: One library call for the chain, with the options as they are given.
import torch.nn as nn
import torch.nn.functional as F


class ModelNew(nn.Module):
    def forward(self, x, scale, causal):
        return F.scaled_dot_product_attention(x, x, x, is_causal=causal, scale=scale)
