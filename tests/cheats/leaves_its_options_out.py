# task: attention_with_defaults
# expect: wrong(option) | slower
# audited: yes
# why: Takes a mask, a scale and a flag, as the task does, and computes as if nobody gave them.
import torch.nn as nn
import torch.nn.functional as F


class ModelNew(nn.Module):
    def forward(self, q, k, v, mask=None, scale=None, causal=False):
        return F.scaled_dot_product_attention(q, k, v)
