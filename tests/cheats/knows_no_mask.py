# task: attention_with_defaults
# expect: wrong(option) | slower
# audited: yes
# why: Of a mask it takes no notice, whatever else it honours.
import torch.nn as nn
import torch.nn.functional as F


class ModelNew(nn.Module):
    def forward(self, q, k, v, mask=None, scale=None, causal=False):
        return F.scaled_dot_product_attention(q, k, v, scale=scale, is_causal=causal)
