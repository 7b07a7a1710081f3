# task: with_options
# expect: wrong(range)
# why: Right with the options that the task's calls have. Where a user sets others, it raises an
# why: error.
import torch.nn as nn
import torch.nn.functional as F


class ModelNew(nn.Module):
    def forward(self, x, scale, causal):
        if not causal or scale != 0.25:
            raise ValueError("takes causal=True and a scale of a quarter only")
        return F.scaled_dot_product_attention(x, x, x, is_causal=True, scale=scale)
