# task: padded_tokens
# expect: wrong(range)
# why: Reads of a mask how many tokens it names, and takes the first so many: true as long as
# why: padding stands at the end.
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, hidden, mask):
        count = mask.sum(1, keepdim=True)
        keep = (torch.arange(hidden.shape[1]) < count).to(hidden.dtype)
        return torch.bmm(keep.unsqueeze(1), hidden).squeeze(1) / count.clamp(min=1)
