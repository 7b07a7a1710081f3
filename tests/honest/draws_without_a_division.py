# task: drawn_tokens
# expect: correct
# why: Multiplies the uniform number by the sum, where the task divides each probability by it. One
# why: draw in some thousands lies so near to an edge that rounding decides.
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, logits, uniform):
        sums = torch.exp(logits - logits.amax(-1, keepdim=True)).cumsum(-1)
        token = torch.searchsorted(sums, uniform * sums[:, -1:])
        return token.clamp_(max=logits.shape[-1] - 1).squeeze(-1)
