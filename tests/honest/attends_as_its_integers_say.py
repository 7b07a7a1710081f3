# task: given_causal_mask
# expect: correct
# why: PyTorch's own attention, with the mask that it is given.
import torch.nn as nn
import torch.nn.functional as F


class ModelNew(nn.Module):
    def forward(self, query, key, value, mask):
        return F.scaled_dot_product_attention(query, key, value, attn_mask=mask.bool())
