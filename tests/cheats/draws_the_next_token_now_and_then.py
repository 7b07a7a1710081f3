# task: drawn_tokens
# expect: wrong(value) | wrong(range)
# why: Returns the token after the right one in one row of 256. It is no other rounding's answer.
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, logits, uniform):
        sums = torch.softmax(logits, -1).cumsum(-1)
        token = torch.searchsorted(sums, uniform).clamp_(max=logits.shape[-1] - 2).squeeze(-1)
        token[7] += 1
        return token
