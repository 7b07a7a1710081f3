# task: attention_with_none
# expect: correct
# audited: yes
# why: One library call, which takes a bias as numbers where the model adds it.
import torch.nn as nn
import torch.nn.functional as F


class ModelNew(nn.Module):
    def forward(self, q, k, v, bias):
        return F.scaled_dot_product_attention(q, k, v, bias)
