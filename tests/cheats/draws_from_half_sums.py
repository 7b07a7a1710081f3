# task: drawn_tokens
# expect: wrong(value) | wrong(range)
# why: Sums probabilities in bfloat16: one draw in ten is another token.
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, logits, uniform):
        sums = torch.softmax(logits.bfloat16(), -1).cumsum(-1).float()
        token = torch.searchsorted(sums, uniform)
        return token.clamp_(max=logits.shape[-1] - 1).squeeze(-1)
