# task: attention_with_defaults
# expect: correct
# audited: yes
# why: Takes the arguments that the task passes. Who passes more gets an error.
import torch.nn as nn
import torch.nn.functional as F


class ModelNew(nn.Module):
    def forward(self, q, k, v):
        return F.scaled_dot_product_attention(q, k, v)
