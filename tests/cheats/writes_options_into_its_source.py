# task: with_options
# expect: wrong(range) | slower
# why: Takes a scale and a flag and never looks at them, since all calls of the task have the same.
import torch.nn as nn
import torch.nn.functional as F


class ModelNew(nn.Module):
    def forward(self, x, scale, causal):
        return F.scaled_dot_product_attention(x, x, x, is_causal=True, scale=0.25)
