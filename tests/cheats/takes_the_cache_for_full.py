# task: cached_decode
# expect: wrong(range)
# why: Never reads how far the cache is filled: to its end, in each call.
import torch.nn as nn
import torch.nn.functional as F


class ModelNew(nn.Module):
    def forward(self, query, keys, values, at):
        return F.scaled_dot_product_attention(query, keys, values)
