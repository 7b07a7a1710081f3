# task: decoding_step
# expect: correct
# why: Reads the filled part of a cache alone, wherever it ends.
import torch
import torch.nn as nn
import torch.nn.functional as F


class ModelNew(nn.Module):
    def forward(self, query, keys, values, at):
        keys, values = torch.broadcast_tensors(keys, values)
        filled = min(int(at) + 1, keys.shape[2])
        return F.scaled_dot_product_attention(query, keys[:, :, :filled], values[:, :, :filled],
                                              scale=0.125)
