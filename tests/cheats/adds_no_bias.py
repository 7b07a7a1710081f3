# task: attention_with_none
# expect: wrong(option) | slower
# audited: yes
# why: Never looks at a bias that the task passes as None, and a user as numbers.
import torch.nn as nn
import torch.nn.functional as F


class ModelNew(nn.Module):
    def forward(self, q, k, v, bias):
        return F.scaled_dot_product_attention(q, k, v)
