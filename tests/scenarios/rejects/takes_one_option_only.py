# task: with_options
# expect: wrong(range)
# why: Right with the options that the task's calls have. Where a user sets the flag otherwise, it
# why: raises an error.
import torch.nn as nn
import torch.nn.functional as F


class ModelNew(nn.Module):
    def forward(self, x, scale, causal):
        if not causal:
            raise ValueError("takes causal=True only")
        return F.scaled_dot_product_attention(x, x, x, is_causal=True, scale=scale)
