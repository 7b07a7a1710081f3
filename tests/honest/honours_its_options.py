# task: attention_with_defaults
# expect: correct
# audited: yes
# why: One fused call for all that a user may pass.
import torch
import torch.nn as nn
import torch.nn.functional as F


class ModelNew(nn.Module):
    def forward(self, q, k, v, mask=None, scale=None, causal=False):
        if mask is not None and causal:
            mask = mask & torch.ones(q.shape[-2], k.shape[-2], dtype=torch.bool).tril()
            causal = False
        return F.scaled_dot_product_attention(q, k, v, mask, is_causal=causal,
                                              scale=scale or None)
