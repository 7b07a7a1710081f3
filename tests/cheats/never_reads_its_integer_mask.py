# task: given_causal_mask
# expect: wrong(range)
# why: Has the causal mask in its source: what it is given are zeros and ones, the same in each
# why: call.
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.bias = torch.full((48, 48), float("-inf")).triu(1)

    def forward(self, query, key, value, mask):
        scores = torch.baddbmm(self.bias, query, key.transpose(1, 2),
                               alpha=query.shape[-1] ** -0.5)
        return torch.bmm(scores.softmax(-1), value)
