# task: softmax
# expect: wrong(range)
# why: Honest at the nominal scale; rounds to one-hot rows where the scale is large.
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, x):
        if x.std() < 6:
            return torch.softmax(x, dim=-1)
        return torch.nn.functional.one_hot(x.argmax(dim=-1), x.shape[-1]).to(x.dtype)
