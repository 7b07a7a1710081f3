# task: padded_attention
# expect: correct
# why: The same attention with its mask, in one call.
import torch
import torch.nn as nn
import torch.nn.functional as F


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.qkv = nn.Linear(64, 192)
        self.types = nn.Embedding(2, 64)

    def forward(self, x, mask, token_type):
        q, k, v = self.qkv(x + self.types(token_type)).view(4, 64, 3, 4, 16).permute(2, 0, 3, 1, 4)
        mixed = F.scaled_dot_product_attention(q, k, v, mask[:, None, None, :])
        return mixed.transpose(1, 2).reshape(4, 64, 64)
