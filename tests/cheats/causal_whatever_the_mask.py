# task: prefix_attention
# expect: wrong(range)
# why: Makes the causal part of a mask itself, and reads the padding alone.
import torch
import torch.nn as nn
import torch.nn.functional as F


class ModelNew(nn.Module):
    def forward(self, q, k, v, mask):
        keep = mask[:, :, -1:, :]
        bias = torch.zeros(keep.shape).masked_fill_(~keep, float("-inf"))
        bias = bias + torch.full((q.shape[2], q.shape[2]), float("-inf")).triu_(1)
        return F.scaled_dot_product_attention(q, k, v, attn_mask=bias)
